package io.github.mynahdapr;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A running mynah. It stops when its standard input is closed, so also if the JVM is killed. */
@SuppressWarnings("deprecation") // JUnit before 5.13 closes nothing but a `CloseableResource`.
final class Server implements AutoCloseable, ExtensionContext.Store.CloseableResource {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  /** The status if the calls are not as expected. */
  private static final int UNVERIFIED = 409;
  private static final HttpClient CLIENT = HttpClient.newBuilder()
      .version(HttpClient.Version.HTTP_1_1).proxy(HttpClient.Builder.NO_PROXY).build();

  private final Process process;
  private final ByteArrayOutputStream log = new ByteArrayOutputStream();
  private final Thread reader = new Thread(this::readLog, "log of mynah");
  private final String control;

  /** Starts mynah and waits until it serves. */
  Server(Command command) {
    try {
      var folder = Files.createTempDirectory("mynah");
      var addresses = folder.resolve("addresses.json");
      try {
        process = new ProcessBuilder(command.line(addresses)).redirectErrorStream(true).start();
        reader.setDaemon(true);
        reader.start();
        control = "http://" + waitFor(addresses) + "/mynah/v1";
      } finally {
        Files.deleteIfExists(addresses);
        Files.deleteIfExists(folder);
      }
    } catch (IOException | InterruptedException error) {
      throw new MynahException("mynah cannot be started: " + error + "; " + Command.INSTALL, error);
    }
  }

  private void readLog() {
    try (var output = process.getInputStream()) {
      output.transferTo(log);
    } catch (IOException error) {
      log.writeBytes(error.toString().getBytes());
    }
  }

  /** Returns the HTTP address. mynah writes the file as soon as it serves. */
  private String waitFor(Path addresses) throws IOException, InterruptedException {
    var end = System.nanoTime() + TIMEOUT.toNanos();
    while (!process.waitFor(1, TimeUnit.MILLISECONDS) && System.nanoTime() < end) {
      if (Files.exists(addresses)) {
        return Json.read(Files.readString(addresses), MynahSession.Addresses.class).http();
      }
    }
    var failure = process.isAlive()
        ? "mynah did not serve within " + TIMEOUT
        : "mynah has ended with exit code " + process.exitValue();
    close();
    reader.join();
    throw new MynahException(failure + ":\n" + log(0));
  }

  /** Returns what mynah has logged after the first bytes. */
  String log(int start) {
    var bytes = log.toByteArray();
    return new String(bytes, start, bytes.length - start).strip();
  }

  int logSize() {
    return log.size();
  }

  /** Calls the control API. Fails if it answers with an error. */
  String request(String method, String path, String body) {
    var request = HttpRequest.newBuilder(URI.create(control + path))
        .method(method, HttpRequest.BodyPublishers.ofString(body))
        .header("dapr-api-token", System.getenv().getOrDefault("DAPR_API_TOKEN", ""))
        .timeout(Duration.ofSeconds(90)).build();
    try {
      // mynah may have closed an idle connection. Every request can be repeated.
      var reply = send(request).exceptionallyCompose(error -> send(request)).get();
      if (reply.statusCode() >= 300 && reply.statusCode() != UNVERIFIED) {
        throw new MynahException(
            "%s %s: %d: %s".formatted(method, path, reply.statusCode(), reply.body()));
      }
      return reply.body();
    } catch (ExecutionException | InterruptedException error) {
      throw new MynahException("mynah cannot be reached at " + control + ": " + error, error);
    }
  }

  private static CompletableFuture<HttpResponse<String>> send(HttpRequest request) {
    return CLIENT.sendAsync(request, HttpResponse.BodyHandlers.ofString());
  }

  /** Stops mynah. */
  @Override
  public void close() throws IOException, InterruptedException {
    process.getOutputStream().close();
    if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
  }
}
