package weather;

import io.dapr.client.DaprPreviewClient;
import io.dapr.client.domain.AssistantMessage;
import io.dapr.client.domain.ConversationInputAlpha2;
import io.dapr.client.domain.ConversationMessage;
import io.dapr.client.domain.ConversationMessageContent;
import io.dapr.client.domain.ConversationRequestAlpha2;
import io.dapr.client.domain.ConversationResultMessage;
import io.dapr.client.domain.ConversationTools;
import io.dapr.client.domain.ConversationToolsFunction;
import io.dapr.client.domain.SystemMessage;
import io.dapr.client.domain.ToolMessage;
import io.dapr.client.domain.UserMessage;
import io.dapr.exceptions.DaprException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Tells the weather, with the help of a model. */
final class Assistant {
  private static final List<ConversationTools> TOOLS =
      List.of(new ConversationTools(new ConversationToolsFunction(
          "get_weather",
          Map.of("type", "object", "properties", Map.of("city", Map.of("type", "string"))))));

  private final DaprPreviewClient client;

  Assistant(DaprPreviewClient client) {
    this.client = client;
  }

  /** Answers a question. Tries again twice if the model fails. */
  String answer(String question) {
    var messages = new ArrayList<ConversationMessage>();
    messages.add(new SystemMessage(content("You tell the weather.")));
    messages.add(new UserMessage(content(question)));
    while (true) {
      var answer = askPatiently(messages);
      if (!answer.hasToolCalls()) {
        return answer.getContent();
      }
      messages.add(new AssistantMessage(List.of(), answer.getToolCalls()));
      for (var call : answer.getToolCalls()) {
        messages.add(new ToolMessage(content("21 degrees")).setToolId(call.getId())
            .setName(call.getFunction().getName()));
      }
    }
  }

  private ConversationResultMessage askPatiently(List<ConversationMessage> messages) {
    for (var failures = 0; ; failures++) {
      try {
        return ask(messages);
      } catch (DaprException error) {
        if (failures == 2 || !error.getErrorCode().equals("UNAVAILABLE")) {
          throw error;
        }
      }
    }
  }

  private ConversationResultMessage ask(List<ConversationMessage> messages) {
    var inputs = List.of(new ConversationInputAlpha2(List.copyOf(messages)));
    var request = new ConversationRequestAlpha2("echo", inputs).setTools(TOOLS).setTemperature(0.2);
    var answer = client.converseAlpha2(request).block();
    return answer.getOutputs().get(0).getChoices().get(0).getMessage();
  }

  private static List<ConversationMessageContent> content(String text) {
    return List.of(new ConversationMessageContent(text));
  }
}
