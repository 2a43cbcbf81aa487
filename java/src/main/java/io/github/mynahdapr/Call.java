package io.github.mynahdapr;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A call of the model by the test. Messages and tools have the same form for all APIs; {@code
 * request} is the whole request, and {@code parameters} are its other fields in snake case.
 */
public record Call(
    int number, String component, String surface, boolean stream, String outcome, double durationMs,
    Object request, List<Message> messages, List<Tool> tools, Map<String, Object> parameters,
    Answer answer, CallError error, List<String> rules) {
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
  static Call of(Object entry) {
    var members = new HashMap<>(Json.object(entry));
    members.put("answer", members.get("response"));
    members.put("rules", Json.list(members.get("answered_by")).stream()
        .map(source -> Json.object(source).get("rule")).filter(Objects::nonNull).toList());
    return Records.record(Call.class, members);
  }
}
