package interop;

import static interop.Requests.prompt;
import static interop.Requests.content;
import static interop.Requests.onlyChoice;
import static interop.Requests.user;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.dapr.client.DaprClientBuilder;
import io.dapr.client.domain.AssistantMessage;
import io.dapr.client.domain.ConversationMessage;
import io.dapr.client.domain.ConversationTools;
import io.dapr.client.domain.ConversationToolsFunction;
import io.dapr.client.domain.ToolMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests of Dapr's Java SDK with mynah: tool calls and their results. */
class ToolsTest {
  private static final List<ConversationTools> TOOLS =
      List.of(tool("get_weather", "location"), tool("get_time", "timezone"));

  @Test
  void toolLoopEndsWithTheResults() throws Exception {
    try (var client = new DaprClientBuilder().buildPreviewClient()) {
      var messages = new ArrayList<ConversationMessage>();
      messages.add(user("What are the weather and the time in Paris?"));
      var first = onlyChoice(client.converseAlpha2(prompt(messages).setTools(TOOLS)).block());
      assertEquals("tool_calls", first.getFinishReason());
      var calls = first.getMessage().getToolCalls();
      assertEquals(2, calls.size());
      var weather = calls.get(0);
      var time = calls.get(1);
      assertEquals("get_weather", weather.getFunction().getName());
      assertEquals("{\"location\":\"Paris\"}", weather.getFunction().getArguments());
      assertEquals("get_time", time.getFunction().getName());
      assertEquals("{\"timezone\":\"UTC\"}", time.getFunction().getArguments());
      assertNotEquals(weather.getId(), time.getId());

      messages.add(new AssistantMessage(List.of(), calls));
      messages.add(result(weather.getId(), "get_weather", "Sunny"));
      messages.add(result(time.getId(), "get_time", "12:00"));
      var last = onlyChoice(client.converseAlpha2(prompt(messages).setTools(TOOLS)).block());
      assertEquals("stop", last.getFinishReason());
      assertEquals("Sunny\n12:00", last.getMessage().getContent());
    }
  }

  private static ConversationTools tool(String name, String property) {
    Map<String, Object> schema =
        Map.of("type", "object", "properties", Map.of(property, Map.of("type", "string")));
    return new ConversationTools(new ConversationToolsFunction(name, schema));
  }

  private static ConversationMessage result(String id, String name, String text) {
    return new ToolMessage(content(text)).setToolId(id).setName(name);
  }
}
