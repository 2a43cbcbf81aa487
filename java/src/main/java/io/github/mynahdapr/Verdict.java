package io.github.mynahdapr;

import java.util.List;

/** How the test retries calls. */
public record Verdict(
    boolean ok, int retries, int recovered, List<Integer> gaveUp, List<Violation> violations) {
  /** What is wrong with the retries. */
  public record Violation(String kind, String message, List<Integer> calls) {}
}
