package io.github.mynahdapr;

import java.util.LinkedHashMap;
import java.util.Map;

/** What {@link Mynah#verify} expects. Without a number, one call or more. */
public final class Check extends Conditions<Check> {
  /** What is not as expected, or an empty text. */
  record Verification(String report) {}

  /** Expects exactly this number of calls. */
  public Check count(int count) {
    return with("count", count);
  }

  /** Expects this number of calls or more. */
  public Check atLeast(int count) {
    return with("count", Map.of("at_least", count));
  }

  /** Expects this number of calls or fewer. */
  public Check atMost(int count) {
    return with("count", Map.of("at_most", count));
  }

  /** Expects that rules or instruction chains have answered all calls. */
  public Check noUnmatched() {
    return with("no_unmatched", true);
  }

  /** Expects that each rule of the test has answered a call. */
  public Check noUnused() {
    return with("unused", true);
  }

  /** Expects that this number of calls wait because of a delay or a fault. */
  public Check waiting(int count) {
    return with("waiting", count);
  }

  Map<String, Object> body(String session) {
    var body = new LinkedHashMap<String, Object>(Map.of("session", session, "wait", "1s"));
    body.putAll(keys);
    if (!match.isEmpty() || keys.containsKey("count")) {
      body.put("match", match);
    }
    return body;
  }
}
