import { calls, parts, tools } from "./content";
import { list, object, pick, settings, text, type Conversation, type Json, type Message } from "./model";

/** Reads a request of the second version of Dapr's API. */
export function alpha2(request: Json): Conversation {
  const messages = list(request.inputs).flatMap((input) => list(object(input).messages).map(message));
  return {
    messages,
    tools: tools(request.tools),
    schema: pick(request, "responseFormat", "response_format"),
    settings: settings(request, "toolChoice", "tool_choice", "temperature", "contextId", "parameters", "metadata"),
  };
}

/** A message is an object with one key, such as `ofUser`. */
function message(value: unknown): Message {
  const [key, inner] = Object.entries(object(value)).find(([name]) => name.startsWith("of")) ?? ["ofUnknown", {}];
  const from = object(inner);
  const role = key.replace(/^of_?/, "").toLowerCase();
  return {
    role,
    name: text(from.name) || undefined,
    parts: parts(from.content),
    calls: calls(pick(from, "toolCalls", "tool_calls")),
    toolId: text(pick(from, "toolId", "tool_id")) || undefined,
  };
}
