// What all forms of requests have in common.

/** A part of a message: a text, or a description of what is not a text. */
export type Part = { text: string } | { media: string };

export interface Call {
  id: string | null;
  name: string;
  /** The arguments as JSON text, which may be invalid. */
  args: string;
}

export interface Message {
  role: string;
  name?: string;
  parts: Part[];
  calls: Call[];
  /** The call that a tool's message answers. */
  toolId?: string;
  reasoning?: string;
}

export interface Tool {
  name: string;
  description?: string;
  parameters?: unknown;
}

export interface Conversation {
  messages: Message[];
  tools: Tool[];
  /** The JSON schema of the answer, if the request has one. */
  schema?: unknown;
  /** Settings that are worth a line, such as the temperature. */
  settings: [name: string, value: string][];
  /** The response that the request continues. */
  previous?: string;
  /** The body, if it could not be decoded. */
  unreadable?: string;
}

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const object = (value: unknown): Json => (isObject(value) ? value : {});
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const text = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);

/** Returns the value of the first key that is there. Dapr's JSON allows both spellings. */
export function pick(from: Json, ...keys: string[]): unknown {
  for (const key of keys) if (from[key] !== undefined && from[key] !== null) return from[key];
  return undefined;
}

/** Returns the texts of a message, separated by line breaks. */
export const textOf = (message: Message): string =>
  message.parts.map((part) => ("text" in part ? part.text : "")).filter(Boolean).join("\n");

/** Returns settings as texts, without those that are absent. */
export function settings(from: Json, ...keys: string[]): [string, string][] {
  return keys.filter((key) => from[key] !== undefined && from[key] !== null).map((key) => [key, text(from[key])]);
}
