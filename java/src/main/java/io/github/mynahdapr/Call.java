package io.github.mynahdapr;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A call of the model by the test. Messages and tools have the same form for all APIs; {@code
 * request} is the whole request, and {@code parameters} are its other fields.
 */
public record Call(
    int number, String component, String surface, boolean stream, String outcome, double durationMs,
    Object request, List<Message> messages, List<Tool> tools, Map<String, Object> parameters,
    Answer answer, CallError error, List<String> rules) {
  private static final Set<String> CONTENT =
      Set.of("inputs", "messages", "input", "instructions", "tools", "name");

  /** A message of the request; {@code toolId} is the id of the tool call whose result this is. */
  public record Message(
      String role, String name, String text, List<ToolCall> toolCalls, String toolId) {}

  /** A call of a tool by the model. The arguments are JSON unless a rule says something else. */
  public record ToolCall(String id, String name, String arguments) {}

  /** A tool that the request offers. */
  public record Tool(String name, String description, Map<String, Object> parameters) {}

  /** The answer of the model; null in a call that has failed. */
  public record Answer(
      String text, String reasoning, List<ToolCall> toolCalls, String finishReason, String model,
      Map<String, Object> usage) {}

  /** The error with its gRPC code; null in a call that has not failed. {@code retryAfterMs} can be 0. */
  public record CallError(String code, String message, double retryAfterMs) {}

  /** Reads an entry of the journal. */
  static Call of(Map<String, Object> entry) {
    var request = Json.object(entry.get("request"));
    var parameters = new LinkedHashMap<>(request);
    parameters.keySet().removeAll(CONTENT);
    var rules = Json.objects(entry.get("answered_by")).stream()
        .map(source -> Json.text(source, "rule")).filter(rule -> !rule.isEmpty()).toList();
    return new Call(
        Json.integer(entry.get("number")), Json.text(entry, "component"),
        Json.text(entry, "surface"), entry.get("stream") == Boolean.TRUE,
        Json.text(entry, "outcome"), Json.number(entry.get("duration_ms")), entry.get("request"),
        messages(request), Json.objects(request.get("tools")).stream().map(Call::tool).toList(),
        parameters, answer(Json.object(entry.get("response"))),
        error(Json.object(entry.get("error"))), rules);
  }

  private static Answer answer(Map<String, Object> answer) {
    return answer.isEmpty() ? null : new Answer(
        Json.text(answer, "text"), Json.text(answer, "reasoning"),
        toolCalls(answer.get("tool_calls")), Json.text(answer, "finish_reason"),
        Json.text(answer, "model"), Json.object(answer.get("usage")));
  }

  private static CallError error(Map<String, Object> error) {
    return error.isEmpty() ? null : new CallError(
        Json.text(error, "code"), Json.text(error, "message"), Json.number(error.get("retry_after_ms")));
  }

  private static Map<String, Object> function(Map<String, Object> value) {
    return Json.object(value.getOrDefault("function", value));
  }

  private static Tool tool(Map<String, Object> value) {
    var tool = function(value);
    return new Tool(
        Json.text(tool, "name"), Json.text(tool, "description"), Json.object(tool.get("parameters")));
  }

  private static List<ToolCall> toolCalls(Object values) {
    return Json.objects(values).stream().map(Call::toolCall).toList();
  }

  private static ToolCall toolCall(Map<String, Object> call) {
    var function = function(call);
    return new ToolCall(
        Json.text(call, "call_id", "id"), Json.text(function, "name"), Json.text(function, "arguments"));
  }

  private static List<Message> messages(Map<String, Object> request) {
    var messages = new ArrayList<Message>();
    if (request.get("instructions") instanceof String instructions) {
      messages.add(message("system", Map.of("content", instructions)));
    }
    if (request.get("input") instanceof String input) {
      messages.add(message("user", Map.of("content", input)));
    }
    for (var input : Json.objects(request.get("inputs"))) {
      if (input.containsKey("content")) { // the first version of Dapr's API
        messages.add(message(Json.text(input, "role"), input));
      }
      for (var message : Json.objects(input.get("messages"))) {
        message.forEach((kind, value) -> messages.add(
            message(kind.replaceFirst("^of_?", "").toLowerCase(Locale.ROOT), Json.object(value))));
      }
    }
    Stream.of("messages", "input")
        .flatMap(key -> Json.objects(request.get(key)).stream())
        .forEach(item -> messages.add(message(Json.text(item, "role"), item)));
    return messages;
  }

  /** Reads a message of any API. OpenAI's Responses API has items for calls and results. */
  private static Message message(String role, Map<String, Object> value) {
    return switch (Json.text(value, "type")) {
      case "function_call" -> new Message("assistant", "", "", List.of(toolCall(value)), "");
      case "function_call_output" ->
          new Message("tool", "", text(value.get("output")), List.of(), Json.text(value, "call_id"));
      default -> new Message(
          role, Json.text(value, "name"), text(value.get("content")),
          toolCalls(value.getOrDefault("toolCalls", value.get("tool_calls"))),
          Json.text(value, "toolId", "tool_id", "tool_call_id"));
    };
  }

  /** Returns a text, or the texts of a list of parts. */
  private static String text(Object content) {
    return content instanceof String text ? text : Json.objects(content).stream()
        .map(part -> Json.text(part, "text")).collect(Collectors.joining("\n"));
  }
}
