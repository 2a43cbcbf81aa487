package io.github.mynahdapr;

/** mynah cannot be started or reached, or rejects a request. */
public final class MynahException extends RuntimeException {
  MynahException(String message) {
    super(message);
  }

  MynahException(String message, Throwable cause) {
    super(message, cause);
    if (cause instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
  }
}
