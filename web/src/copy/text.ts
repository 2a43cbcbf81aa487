// Texts of calls, which can contain anything, as they are safe to paste.

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Characters that are invisible, change the direction of a text, or are not allowed in YAML or Go. */
const INVISIBLE =
  /[\u0000-\u001f\u007f-\u00a0\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff]/g;

/** Returns `true` if a text has characters that must be escaped, other than line breaks. */
export function hasInvisible(text: string): boolean {
  return text.replaceAll("\n", "").search(INVISIBLE) >= 0;
}

export function mapInvisible(text: string, replace: (char: string) => string): string {
  return text.replace(INVISIBLE, replace);
}

export function escapeInvisible(text: string): string {
  return mapInvisible(text, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Returns a text in double quotes, as JSON, YAML, Go and TypeScript read it. */
export function quote(text: string): string {
  return escapeInvisible(JSON.stringify(text));
}

/** Returns JSON without invisible characters in its texts. */
export function json(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent) ?? "null";
  return text.split("\n").map(escapeInvisible).join("\n");
}

/** Returns a text on one line, for a comment. */
export function comment(text: string): string {
  const line = escapeInvisible(text);
  return line.length > 100 ? `${line.slice(0, 100).replace(LONE_SURROGATE, "")}…` : line;
}

/** Replaces lone surrogates, which UTF-8 does not have, in all texts of a value. */
export function wellFormed<T>(value: T): T {
  if (typeof value === "string") return value.replace(LONE_SURROGATE, "\ufffd") as T;
  if (Array.isArray(value)) return value.map(wellFormed) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [wellFormed(key), wellFormed(inner)])) as T;
}
