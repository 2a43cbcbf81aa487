// Reads JSON whose form is not known.

export type Json = Record<string, unknown>;

export function object(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function string(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the value of the first key that is there: the JSON of Dapr's API has several spellings. */
export function pick(from: Json, ...keys: string[]): unknown {
  return keys.map((key) => from[key]).find((value) => value !== undefined && value !== null);
}

/** Returns an object without the keys that have no value. */
export function defined(from: Json): Json {
  return Object.fromEntries(Object.entries(from).filter(([, value]) => value !== undefined));
}
