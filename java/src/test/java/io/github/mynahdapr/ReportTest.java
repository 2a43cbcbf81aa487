package io.github.mynahdapr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import failing.FailingWeather;
import failing.Run;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {
  private static final Map<String, List<String>> EXPECTED = Map.of(
      "unexpectedCall()", List.of(
          "expected exactly 2 calls with {\"user\":\"weather\"}, found 0",
          "  call 1 does not match:",
          "user: expected a text that contains \"weather\"", "the call has \"How is the wether?\"",
          "Suppressed: ",
          "session \"failing.FailingWeather/unexpectedCall()\" has 1 call",
          "call 1 to echo (ok, ", "user: How is the wether?", "answer: How is the wether?",
          "the nearest is rule \"FailingWeather.java:2",
          "log of mynah:", "session=\"failing.FailingWeather/unexpectedCall()\""),
      "unusedRule()", List.of("rule \"FailingWeather.java:", "did not answer", "has 0 calls"),
      "invalidRule()", List.of("400", "unknown key `usr`", "FailingWeather.java:"),
      "hangs()", List.of("timed out after 1 second", "session \"failing.FailingWeather/hangs()\" has "),
      "noCall()", List.of("no call of the model has ended in this test"));

  @Test
  void failedTestsShowTheirCalls() {
    var failures = Run.failures(FailingWeather.class);
    EXPECTED.forEach((test, texts) -> texts.forEach(text ->
        assertTrue(failures.get(test).contains(text), text + " in " + failures.get(test))));
    assertFalse(failures.get("aborted()").contains("Suppressed"), failures.get("aborted()"));
    var both = failures.getOrDefault("first(MynahSession)", "")
        + failures.getOrDefault("second(MynahSession)", "");
    assertTrue(both.contains("the system properties point at the session "), both);
    assertTrue(both.contains("need grpcAddress(), httpAddress() or client() instead"), both);
    assertEquals(7, failures.size(), failures.keySet().toString());
  }
}
