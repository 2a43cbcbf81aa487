import { calls, parts, tools } from "./content";
import { list, object, pick, settings, text, type Conversation, type Json, type Message } from "./model";

/** Reads a request for chat completions. */
export function openai(request: Json): Conversation {
  const format = object(request.response_format);
  const schema = object(format.json_schema).schema ?? (format.type === "json_object" ? { type: "object" } : undefined);
  return {
    messages: list(request.messages).map(message),
    tools: tools(request.tools),
    schema,
    settings: settings(
      request, "model", "tool_choice", "temperature", "n", "max_tokens", "max_completion_tokens", "seed", "stop", "metadata",
    ),
  };
}

function message(value: unknown): Message {
  const from = object(value);
  return {
    role: text(from.role),
    name: text(from.name) || undefined,
    parts: parts(pick(from, "content", "refusal")),
    calls: calls(from.tool_calls),
    toolId: text(from.tool_call_id) || undefined,
    reasoning: text(from.reasoning_content) || undefined,
  };
}
