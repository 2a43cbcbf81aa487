package interop;

import static interop.Requests.prompt;
import static interop.Requests.onlyChoice;
import static interop.Requests.user;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.dapr.client.DaprClientBuilder;
import io.dapr.client.DaprPreviewClient;
import io.dapr.client.domain.ConversationInput;
import io.dapr.client.domain.ConversationInputAlpha2;
import io.dapr.client.domain.ConversationRequest;
import io.dapr.client.domain.ConversationRequestAlpha2;
import io.dapr.exceptions.DaprException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Tests of Dapr's Java SDK with mynah: text, personal data, structured answers and errors. */
class ConversationTest {
  private static DaprPreviewClient client;

  @BeforeAll
  static void connect() {
    client = new DaprClientBuilder().buildPreviewClient();
  }

  @AfterAll
  static void close() throws Exception {
    client.close();
  }

  @Test
  void sidecarIsReadyAndMetadataListsTheComponent() throws Exception {
    try (var client = new DaprClientBuilder().build()) {
      client.waitForSidecar(5_000).block();
      var metadata = client.getMetadata().block();
      assertEquals("mynah", metadata.getId());
      assertEquals(1, metadata.getComponents().size());
      assertEquals("echo", metadata.getComponents().get(0).getName());
      assertEquals("conversation.echo", metadata.getComponents().get(0).getType());
    }
  }

  @Test
  void alpha1EchoesTheLastUserMessage() {
    var inputs =
        List.of(
            new ConversationInput("First").setRole("user"),
            new ConversationInput("Noted").setRole("assistant"),
            new ConversationInput("Hello, world!").setRole("user"));
    var request = new ConversationRequest("echo", inputs).setContextId("chat-1");
    var answer = client.converse(request).block();
    assertEquals("chat-1", answer.getContextId());
    assertEquals(1, answer.getConversationOutputs().size());
    assertEquals("Hello, world!", answer.getConversationOutputs().get(0).getResult());
  }

  @Test
  void alpha2EchoesTheLastUserMessage() {
    // The SDK sends parameters without a type URL. mynah must accept these.
    var request =
        prompt("Hello, world!").setContextId("chat-1").setParameters(Map.of("max_tokens", 100));
    var answer = client.converseAlpha2(request).block();
    assertEquals("chat-1", answer.getContextId());
    var choice = onlyChoice(answer);
    assertEquals("stop", choice.getFinishReason());
    assertEquals("Hello, world!", choice.getMessage().getContent());
    assertFalse(choice.getMessage().hasToolCalls());
    var output = answer.getOutputs().get(0);
    assertEquals("echo", output.getModel());
    assertEquals(3, output.getUsage().getPromptTokens());
    assertEquals(3, output.getUsage().getCompletionTokens());
    assertEquals(6, output.getUsage().getTotalTokens());
  }

  @Test
  void scrubsPersonalDataInRequestsAndResponses() {
    var input = new ConversationInputAlpha2(List.of(user("Mail ann@example.org")));
    input.setScrubPii(true);
    var scrubbedRequest = new ConversationRequestAlpha2("echo", List.of(input));
    var scrubbedResponse = prompt("Mail ann@example.org").setScrubPii(true);
    for (var request : List.of(scrubbedRequest, scrubbedResponse)) {
      var choice = onlyChoice(client.converseAlpha2(request).block());
      assertEquals("Mail <EMAIL_ADDRESS>", choice.getMessage().getContent());
    }
  }

  @Test
  void structuredAnswerMatchesItsSchema() throws Exception {
    var schema =
        """
        {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
        """;
    var request = prompt("Report, please");
    request.setResponseFormat(schema);
    var choice = onlyChoice(client.converseAlpha2(request).block());
    assertEquals("{\"city\":\"San Francisco\"}", choice.getMessage().getContent());
  }

  @Test
  void concurrentCallsGetTheirOwnAnswers() {
    var answers =
        Flux.range(0, 50)
            .flatMapSequential(n -> client.converseAlpha2(prompt("Hello " + n)), 50)
            .map(answer -> onlyChoice(answer).getMessage().getContent());
    var words = Flux.range(0, 50).map(n -> "Hello " + n);
    assertEquals(words.collectList().block(), answers.collectList().block());
  }

  @Test
  void rejectsTooLargeMessage() {
    var request = prompt("x".repeat(4 << 20));
    var error =
        assertThrows(DaprException.class, () -> client.converseAlpha2(request).block());
    assertEquals("RESOURCE_EXHAUSTED", error.getErrorCode());
  }

  @Test
  void rejectsInvalidRequests() {
    var hello = List.of(new ConversationInputAlpha2(List.of(user("Hello"))));
    var unknown = new ConversationRequestAlpha2("nope", hello);
    assertRejected(unknown, "failed finding conversation component nope");
    var choice = prompt("Hello").setToolChoice("required");
    assertRejected(choice, "tool choice must be 'auto', 'none', 'required'");
  }

  private static void assertRejected(ConversationRequestAlpha2 request, String reason) {
    var error =
        assertThrows(DaprException.class, () -> client.converseAlpha2(request).block());
    assertEquals("INVALID_ARGUMENT", error.getErrorCode());
    assertTrue(error.getMessage().contains(reason), error.getMessage());
  }
}
