import { parts, tools } from "./content";
import { list, object, pick, settings, text, type Conversation, type Json, type Message } from "./model";

/** Reads a request of the Responses API. */
export function responses(request: Json): Conversation {
  const format = object(object(request.text).format);
  const schema = format.schema ?? (format.type === "json_object" ? { type: "object" } : undefined);
  const previous = text(request.previous_response_id) || undefined;
  return {
    messages: [...instructions(request), ...input(request.input)],
    tools: tools(request.tools),
    schema,
    previous,
    settings: settings(
      request, "model", "tool_choice", "temperature", "max_output_tokens", "store", "previous_response_id", "metadata",
    ),
  };
}

function instructions(request: Json): Message[] {
  if (!request.instructions) return [];
  return [{ role: "system", name: "instructions", parts: parts(request.instructions), calls: [] }];
}

function input(value: unknown): Message[] {
  if (typeof value === "string") return [{ role: "user", parts: parts(value), calls: [] }];
  const messages: Message[] = [];
  for (const item of list(value)) add(messages, object(item));
  return messages;
}

/** Adds an item. Calls that follow the text or the calls of an assistant belong to its message. */
function add(messages: Message[], item: Json): void {
  const last = messages[messages.length - 1];
  if (item.type === "function_call") {
    const call = { id: text(pick(item, "call_id", "id")) || null, name: text(item.name), args: text(item.arguments) };
    if (last?.role === "assistant") last.calls.push(call);
    else messages.push({ role: "assistant", parts: [], calls: [call] });
  } else if (item.type === "function_call_output") {
    messages.push({ role: "tool", parts: parts(item.output), calls: [], toolId: text(item.call_id) || undefined });
  } else if (item.type === "item_reference") {
    messages.push({ role: "reference", parts: [{ media: text(item.id) }], calls: [] });
  } else if (item.type !== "reasoning") {
    messages.push({ role: text(item.role) || text(item.type), parts: parts(item.content), calls: [] });
  }
}
