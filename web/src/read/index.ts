// Reads requests and answers of all forms into one model.
import type { Api, Entry } from "../entry";
import { alpha1 } from "./alpha1";
import { alpha2 } from "./alpha2";
import { isObject, type Conversation, type Json, type Message } from "./model";
import { openai } from "./openai";
import { responses } from "./responses";

const READERS: Record<Api, (request: Json) => Conversation> = { alpha1, alpha2, openai, responses };

export function readRequest(entry: Entry): Conversation {
  const read = entry.api && READERS[entry.api];
  if (read && isObject(entry.request)) return read(entry.request);
  const body = entry.request;
  const unreadable = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
  return { messages: [], tools: [], settings: [], unreadable };
}

/** Returns the answer as a message, if the call has one. */
export function readAnswer(entry: Entry): Message | undefined {
  const response = entry.response;
  if (!response) return undefined;
  const calls = (response.tool_calls ?? []).map(({ id, name, arguments: args }) => ({ id, name, args }));
  return {
    role: "assistant",
    parts: response.text ? [{ text: response.text }] : [],
    calls,
    reasoning: response.reasoning,
  };
}

export type { Call, Conversation, Message, Part, Tool } from "./model";
export { textOf } from "./model";
