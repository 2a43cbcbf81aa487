package io.github.mynahdapr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import failing.RecordedWeather;
import failing.Run;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records a real model and replays it; another mynah is the model. */
class RecordingTest {
  private static final String COMPONENT = """
      apiVersion: dapr.io/v1alpha1
      kind: Component
      metadata: {name: echo}
      spec:
        type: conversation.openai
        version: v1
        metadata:
        - {name: key, value: sk-planted-key-123456}
        - {name: model, value: echo}
        - {name: endpoint, value: "http://%s/v1"}
      """;

  @Test
  void recordingsAreReplayedWithoutTheModel(@TempDir Path home) throws Exception {
    var components = Files.createDirectory(home.resolve("components"));
    var recordings = home.resolve("recordings");
    var mynah = MynahExtension.create("--resources-path=" + components);
    try (var model = new Server(new Command(null, List.of()))) {
      var session = new MynahSession(model, "model");
      session.when().user("weather").respond("Sunny");
      Files.writeString(components.resolve("echo.yaml"), COMPONENT.formatted(session.httpAddress()));
      assertEquals(Map.of(), run(mynah.record(recordings), "How is the weather?"));
    }
    var recorded = Files.readString(recordings.resolve("echo.yaml"));
    assertTrue(recorded.contains("name: \"failing.RecordedWeather/"), recorded);
    assertFalse(recorded.contains("sk-planted"), recorded);

    assertEquals(Map.of(), run(mynah.replay(recordings), "How is the weather?"));
    assertEquals(List.of("200 Sunny", "200 Sunny"), RecordedWeather.ANSWERS);

    var failures = run(mynah.replay(recordings), "How is the wether?");
    assertEquals(List.of("400", "400"), RecordedWeather.ANSWERS);
    assertEquals(Set.of("asks()"), failures.keySet());
    var failure = failures.get("asks()");
    assertTrue(failure.contains("the request is not recorded in " + recordings), failure);
    assertTrue(failure.contains("How is the [-weather?-]{+wether?+}"), failure);
    assertTrue(failure.contains("Suppressed: "), failure);
  }

  @Test
  void anotherUpstreamIsKept(@TempDir Path home) {
    for (var args : List.of(List.of("--upstream", "daprd"), List.of("--upstream=daprd"))) {
      var extension = MynahExtension.create(args.toArray(String[]::new)).record(home);
      var failures = run(extension, "How is the weather?");
      assertEquals(2, failures.size());
      assertTrue(failures.get("asks()").contains("--daprd"), failures.get("asks()"));
    }
  }

  private static Map<String, String> run(MynahExtension mynah, String question) {
    RecordedWeather.ANSWERS.clear();
    RecordedWeather.mynah = mynah;
    RecordedWeather.question = question;
    return Run.failures(RecordedWeather.class);
  }
}
