// Writes JSON values as literals of programming languages.
import { escapeInvisible, quote } from "./text";

export interface Syntax {
  string(text: string): string;
  key(text: string): string;
  number(value: number): string;
  words: { true: string; false: string; null: string };
  object: [string, string];
  list: [string, string];
  /** A line break before the closing bracket needs a comma in Go, and may have one elsewhere. */
  indent: string;
}

/** An expression, which is written as it is. */
export class Code {
  constructor(readonly text: string) {}
}

const WIDTH = 88;

/** Returns a literal. Its further lines begin with the indentation. */
export function literal(value: unknown, syntax: Syntax, indent = ""): string {
  if (value instanceof Code) return value.text;
  if (typeof value === "string") return syntax.string(value);
  if (typeof value === "number") return syntax.number(value);
  if (typeof value !== "object" || value === null) return syntax.words[String(value ?? null) as "null"];
  const isList = Array.isArray(value);
  const [open, close] = isList ? syntax.list : syntax.object;
  const inner = indent + syntax.indent;
  const items = Object.entries(value).map(([key, item]) => (isList ? "" : syntax.key(key)) + literal(item, syntax, inner));
  const line = open + items.join(", ") + close;
  if (items.length === 0) return open.trim() + close.trim();
  if (indent.length + line.length <= WIDTH && !line.includes("\n")) return line;
  return `${open.trim()}\n${items.map((item) => `${inner}${item},\n`).join("")}${indent}${close.trim()}`;
}

/** Returns a text in single quotes, as Python and TypeScript read it. */
export function singleQuoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replace(/\\"/g, '"').replace(/'/g, "\\'");
  return `'${escapeInvisible(inner)}'`;
}

export const PYTHON: Syntax = {
  string: singleQuoted,
  key: (text) => `${singleQuoted(text)}: `,
  number: JSON.stringify,
  words: { true: "True", false: "False", null: "None" },
  object: ["{", "}"],
  list: ["[", "]"],
  indent: "    ",
};

export const TYPESCRIPT: Syntax = {
  string: singleQuoted,
  // `__proto__: value` would set the prototype.
  key: (text) => (text === "__proto__" ? "['__proto__']: " : `${/^[A-Za-z_]\w*$/.test(text) ? text : singleQuoted(text)}: `),
  number: JSON.stringify,
  words: { true: "true", false: "false", null: "null" },
  object: ["{ ", " }"],
  list: ["[", "]"],
  indent: "  ",
};

export const GO: Syntax = {
  string: quote,
  key: (text) => `${quote(text)}: `,
  // Whole numbers above those of int64 need an exponent.
  number: (value) => (Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : JSON.stringify(value)),
  words: { true: "true", false: "false", null: "nil" },
  object: ["mynahtest.Object{", "}"],
  list: ["[]any{", "}"],
  indent: "\t",
};

/** Returns named arguments, one a line. */
export function keywords(values: Record<string, unknown>, indent: string): string {
  return Object.entries(values).map(([key, value]) => `${indent}${key}=${literal(value, PYTHON, indent)},\n`).join("");
}
