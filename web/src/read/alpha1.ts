import { list, object, pick, settings, text, type Conversation, type Json } from "./model";

/** Reads a request of the first version of Dapr's API. */
export function alpha1(request: Json): Conversation {
  const messages = list(request.inputs).map((input) => {
    const from = object(input);
    return { role: text(from.role) || "user", parts: [{ text: text(pick(from, "content", "message")) }], calls: [] };
  });
  return { messages, tools: [], settings: settings(request, "temperature", "parameters", "metadata", "scrubPII") };
}
