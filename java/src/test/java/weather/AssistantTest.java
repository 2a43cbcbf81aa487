package weather;

import static io.github.mynahdapr.Mynah.toolCall;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.dapr.client.DaprClientBuilder;
import io.dapr.config.Properties;
import io.dapr.exceptions.DaprException;
import io.github.mynahdapr.MynahException;
import io.github.mynahdapr.MynahExtension;
import io.github.mynahdapr.MynahSession;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class AssistantTest {
  @RegisterExtension static MynahExtension mynah = MynahExtension.create("--strict");

  @AfterEach
  void noUnmatchedCalls() {
    mynah.verify(calls -> calls.noUnmatched());
  }

  @AfterAll
  static void restoresSystemProperties() {
    assertNull(System.getProperty("dapr.grpc.endpoint"));
  }

  @Test
  void callsTheToolAndTellsItsResult() {
    mynah.when().user("weather")
        .chain(toolCall("get_weather", Map.of("city", "Paris")), "Sunny, 21 degrees.");
    var assistant = new Assistant(mynah.client());
    assertEquals("Sunny, 21 degrees.", assistant.answer("How is the weather in Paris?"));
    mynah.verify(calls -> calls.system("You tell the weather.").count(2));
  }

  @Test
  void sendsTheResultOfTheTool() {
    mynah.when().toolResult("21 degrees").respond("Warm.");
    mynah.when().user("weather").callTool("get_weather", Map.of("city", "Paris"));
    new Assistant(mynah.client()).answer("How is the weather?");
    var question = mynah.calls().get(0);
    assertEquals(0.2, question.parameters().get("temperature"));
    assertEquals("get_weather", question.tools().get(0).name());
    assertEquals("{\"city\":\"Paris\"}", question.answer().toolCalls().get(0).arguments());
    var messages = mynah.lastCall().messages();
    assertEquals("21 degrees", messages.get(messages.size() - 1).text());
  }

  @Test
  void messagesHaveTheirRoles() {
    mynah.when().toolResult(Map.of("tool", "get_weather")).respond("Warm.");
    mynah.when().callTool("get_weather", Map.of());
    new Assistant(mynah.client()).answer("How is \"the\" weather?\n\u2028😀");
    var messages = mynah.lastCall().messages();
    var roles = messages.stream().map(message -> message.role()).toList();
    assertEquals(List.of("system", "user", "assistant", "tool"), roles);
    assertEquals("How is \"the\" weather?\n\u2028😀", messages.get(1).text());
    assertEquals("get_weather", messages.get(2).toolCalls().get(0).name());
    assertEquals(messages.get(2).toolCalls().get(0).id(), messages.get(3).toolId());
    assertEquals("Warm.", mynah.lastCall().answer().text());
  }

  @Test
  void triesAgainIfTheModelIsBusy() {
    mynah.when().user("weather").fails("UNAVAILABLE", 2).respond("Sunny");
    assertEquals("Sunny", new Assistant(mynah.client()).answer("How is the weather?"));
    var verdict = mynah.verdict();
    assertEquals(1, verdict.recovered());
    assertEquals(List.of(), verdict.violations());
  }

  @Test
  void givesUpIfTheModelStaysBusy() {
    mynah.fault(Map.of("fail_first", 9, "error", "UNAVAILABLE"));
    var assistant = new Assistant(mynah.client());
    assertThrows(DaprException.class, () -> assistant.answer("How is the weather?"));
    mynah.verify(calls -> calls.count(3).with("outcome", "failed"));
    assertEquals("UNAVAILABLE", mynah.lastCall().error().code());
    assertNull(mynah.lastCall().answer());
  }

  @Test
  void noRuleAnswers() {
    var assistant = new Assistant(mynah.client());
    assertThrows(DaprException.class, () -> assistant.answer("How is the weather?"));
    assertEquals("NOT_FOUND", mynah.lastCall().error().code());
    mynah.forgetFailed();
  }

  @Test
  void waitsForASlowModel() throws Exception {
    mynah.when().respond(Map.of("respond", "Sunny", "delay", "1h"));
    var assistant = new Assistant(mynah.client());
    var answer = CompletableFuture.supplyAsync(() -> assistant.answer("How is the weather?"));
    mynah.verify(calls -> calls.waiting(1).with("wait", "10s"));
    mynah.endWaits();
    assertEquals("Sunny", answer.get());
  }

  @Test
  void rulesOfFilesAndOfTests(@TempDir Path folder) throws Exception {
    var file = folder.resolve("rules.yaml");
    Files.writeString(file, "rules:\n  - match:\n      user: rain\n    respond: Wet\nexpect: [{count: 9}]\n");
    mynah.when().user("rain").times(1).respond("Very wet");
    mynah.rules(file);
    Files.writeString(file, "{\"rules\": [{\"match\": {\"user\": \"snow\"}, \"respond\": \"White\"}]}");
    mynah.rules(file);
    var assistant = new Assistant(mynah.client());
    assertEquals("Very wet", assistant.answer("Does it rain?"));
    assertEquals("Wet", assistant.answer("Does it rain?"));
    assertEquals("White", assistant.answer("Does it snow?"));
    mynah.verify(calls -> calls.noUnused());
    Files.writeString(file, "rules: []\n");
    assertThrows(MynahException.class, () -> mynah.rules(file));
    assertThrows(MynahException.class, () -> mynah.when().match("usr", "hail").respond("Hard"));
    mynah.when().user("hail").respond("Hard");
    assertEquals("Hard", assistant.answer("Does it hail?"));
  }

  @Test
  void applicationsThatCreateTheirClient() throws Exception {
    mynah.useSystemProperties();
    mynah.when().user("weather").respond("Sunny");
    try (var client = new DaprClientBuilder().buildPreviewClient()) {
      assertEquals("Sunny", new Assistant(client).answer("How is the weather?"));
    }
    assertEquals("http://" + mynah.httpAddress(), Properties.HTTP_ENDPOINT.get());
    mynah.verify(calls -> calls.count(1));
  }

  @Test
  void otherThreads(MynahSession session) {
    var failed = CompletableFuture.supplyAsync(mynah::grpcAddress);
    var error = assertThrows(Exception.class, failed::join);
    assertTrue(error.getMessage().contains("parameter of the test with the type MynahSession"));
    var address = CompletableFuture.supplyAsync(session::grpcAddress).join();
    assertEquals(mynah.grpcAddress(), address);
  }

  @Test
  void clientsOfOpenAi() throws Exception {
    mynah.when().user("weather").respond("Sunny");
    var body = "{\"model\":\"echo\",\"input\":\"How is the weather?\"}";
    var request = HttpRequest.newBuilder(URI.create(mynah.openaiBaseUrl() + "/responses"))
        .header("content-type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body)).build();
    var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    assertEquals(200, response.statusCode());
    assertEquals("How is the weather?", mynah.lastCall().messages().get(0).text());
    assertEquals("openai", mynah.lastCall().surface());
  }
}
