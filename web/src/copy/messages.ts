// The messages of a request, in the same form for all APIs.
import type { Entry } from "../entry";
import { list, object, pick, string, type Json } from "./json";

export interface Message {
  role: string;
  text: string;
  /** The calls of tools by the model, by their ids. */
  calls: { id: string; name: string }[];
  /** The name of the tool and the id of the call, if this is a result. */
  tool: string;
  id: string;
}

export function messages(entry: Entry): Message[] {
  const request = object(entry.request);
  if (entry.api === "alpha1") return list(request.inputs).map((input) => message(string(object(input).role) || "user", object(input)));
  if (entry.api === "alpha2") return list(request.inputs).flatMap((input) => list(object(input).messages).map(ofDapr));
  const items = entry.api === "responses" ? request.input : request.messages;
  if (typeof items === "string") return [message("user", { content: items })];
  return list(items).map((item) => ofOpenAI(object(item)));
}

/** Reads a message such as `{"ofUser": {…}}`. */
function ofDapr(value: unknown): Message {
  const [key, inner] = Object.entries(object(value)).find(([name]) => name.startsWith("of")) ?? ["ofUser", {}];
  return message(key.replace(/^of_?/, "").toLowerCase(), object(inner));
}

function ofOpenAI(item: Json): Message {
  const id = string(item.call_id);
  if (item.type === "function_call") {
    return { role: "assistant", text: "", calls: [{ id, name: string(item.name) }], tool: "", id: "" };
  }
  if (item.type === "function_call_output") return { ...message("tool", { content: item.output }), id };
  return message(string(item.role), item);
}

function message(role: string, from: Json): Message {
  const calls = list(pick(from, "toolCalls", "tool_calls")).map((call) => {
    return { id: string(object(call).id), name: string(object(object(call).function).name) };
  });
  const id = string(pick(from, "toolId", "tool_id", "tool_call_id"));
  return { role, text: textOf(from.content), calls, tool: role === "tool" ? string(from.name) : "", id };
}

/** Joins the texts of the parts as conditions of rules do. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const texts = list(content).map((part) => pick(object(part), "text", "refusal"));
  return texts.filter((text) => typeof text === "string").join("\n");
}

/** Returns the name of the tool that a result is from: that of the call with its id, if it has none. */
export function toolOf(result: Message, history: Message[]): string {
  const calls = history.flatMap((message) => message.calls).filter(({ id }) => id === result.id);
  return result.tool || (calls.at(-1)?.name ?? "");
}

/** Returns the names of the offered tools. */
export function toolNames(entry: Entry): string[] {
  const offered = list(object(entry.request).tools).map((tool) => {
    const from = object(tool);
    return string(object(from.function).name ?? from.name);
  });
  return [...new Set(offered.filter((name) => name !== ""))];
}
