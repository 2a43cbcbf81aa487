package io.github.mynahdapr;

import java.util.List;
import java.util.Map;

/** How the test retries calls. */
public record Verdict(
    boolean ok, int retries, int recovered, List<Integer> gaveUp, List<Violation> violations) {
  /** What is wrong with the retries. */
  public record Violation(String kind, String message, List<Integer> calls) {}

  static Verdict of(Map<String, Object> verdict) {
    var violations = Json.objects(verdict.get("violations")).stream()
        .map(one -> new Violation(
            Json.text(one, "kind"), Json.text(one, "message"), Json.integers(one.get("calls"))));
    return new Verdict(
        verdict.get("ok") == Boolean.TRUE, Json.integer(verdict.get("retries")),
        Json.integer(verdict.get("recovered")), Json.integers(verdict.get("gave_up")),
        violations.toList());
  }
}
