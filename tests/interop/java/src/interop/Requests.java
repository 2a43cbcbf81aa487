package interop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.dapr.client.DaprClientBuilder;
import io.dapr.client.domain.ConversationInputAlpha2;
import io.dapr.client.domain.ConversationMessage;
import io.dapr.client.domain.ConversationMessageContent;
import io.dapr.client.domain.ConversationRequestAlpha2;
import io.dapr.client.domain.ConversationResponseAlpha2;
import io.dapr.client.domain.ConversationResultChoices;
import io.dapr.client.domain.UserMessage;
import io.dapr.config.Properties;
import java.util.List;

/** Creates requests, and clients for the sidecar that requires a token. */
final class Requests {
  private Requests() {}

  /** Returns a request to the built-in component. */
  static ConversationRequestAlpha2 prompt(List<ConversationMessage> messages) {
    return new ConversationRequestAlpha2("echo", List.of(new ConversationInputAlpha2(messages)));
  }

  static ConversationRequestAlpha2 prompt(String text) {
    return prompt(List.of(user(text)));
  }

  static ConversationMessage user(String text) {
    return new UserMessage(content(text));
  }

  static List<ConversationMessageContent> content(String text) {
    return List.of(new ConversationMessageContent(text));
  }

  /** Returns the only choice of an answer. */
  static ConversationResultChoices onlyChoice(ConversationResponseAlpha2 answer) {
    assertEquals(1, answer.getOutputs().size());
    assertEquals(1, answer.getOutputs().get(0).getChoices().size());
    return answer.getOutputs().get(0).getChoices().get(0);
  }

  /** Returns a client builder for the sidecar that requires a token. */
  static DaprClientBuilder guarded(String token) {
    return new DaprClientBuilder()
        .withPropertyOverride(Properties.GRPC_PORT, System.getenv("GUARDED_GRPC_PORT"))
        .withPropertyOverride(Properties.HTTP_PORT, System.getenv("GUARDED_HTTP_PORT"))
        .withPropertyOverride(Properties.API_TOKEN, token);
  }
}
