package io.github.mynahdapr;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.util.StdConverter;
import java.util.List;
import java.util.Map;

/**
 * A call of the model by the test. Messages and tools have the same form for all APIs; {@code
 * request} is the whole request, and {@code parameters} are its other fields in snake case.
 */
public record Call(
    int number, String component, String surface, boolean stream, String outcome, double durationMs,
    Object request, List<Message> messages, List<Tool> tools, Map<String, Object> parameters,
    @JsonProperty("response") @JsonSetter(nulls = Nulls.SET) Answer answer,
    @JsonSetter(nulls = Nulls.SET) CallError error,
    @JsonProperty("answered_by") @JsonDeserialize(converter = RuleNames.class) List<String> rules) {
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

  /** A page of the journal. */
  record Journal(List<Call> entries) {}

  /** Reads the names of the rules among those that have answered. */
  private static final class RuleNames extends StdConverter<JsonNode, List<String>> {
    @Override
    public List<String> convert(JsonNode answeredBy) {
      return answeredBy.findValuesAsText("rule");
    }
  }
}
