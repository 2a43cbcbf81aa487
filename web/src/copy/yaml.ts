// Writes YAML that every reader of YAML 1.1 and 1.2 understands in the same way.
import { hasInvisible, quote } from "./text";

const WIDTH = 80;
const PLAIN = /^[A-Za-z_][A-Za-z0-9_.?!'()/-]*( [A-Za-z0-9_.?!'()/-]+)*$/;
const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_-]*$/;
const RESERVED = /^(y|n|yes|no|on|off|true|false|null)$/i;

/** Returns a value in the block style, whose lines begin with the indentation. */
export function yaml(value: unknown, indent = ""): string {
  if (Array.isArray(value)) return value.map((item) => entry(`${indent}- `, item, `${indent}  `, true)).join("");
  const entries = Object.entries(value as Record<string, unknown>);
  return entries.map(([key, inner]) => entry(`${indent}${keyOf(key)}:`, inner, `${indent}  `, false)).join("");
}

/** Returns the lines of a value after its key or its dash. */
function entry(start: string, value: unknown, indent: string, isItem: boolean): string {
  const gap = isItem ? "" : " ";
  if (typeof value === "string" && isBlock(value)) return `${start}${gap}|-\n${lines(value, indent)}`;
  const line = `${start}${gap}${flow(value)}\n`;
  const isLong = line.length > WIDTH || (Array.isArray(value) && value.some(isFilled));
  // The first line of an item follows its dash.
  if ((isItem || isLong) && isFilled(value)) return isItem ? start + yaml(value, indent).slice(indent.length) : `${start}\n${yaml(value, indent)}`;
  return line;
}

function isFilled(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

/** Returns `true` for texts that a literal block shows as they are. */
function isBlock(text: string): boolean {
  return /^\S/.test(text) && /\n/.test(text) && !/[ \n]$|\n[^\S\n]*\n[^\S\n]*$|[^\S\n]+\n/.test(text) && !hasInvisible(text);
}

function lines(text: string, indent: string): string {
  return text.split("\n").map((line) => (line ? `${indent}${line}\n` : "\n")).join("");
}

/** Returns a value on one line. */
function flow(value: unknown): string {
  if (typeof value === "string") return value.length < WIDTH && PLAIN.test(value) && !RESERVED.test(value) ? value : quote(value);
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, inner]) => `${keyOf(key)}: ${flow(inner)}`).join(", ")}}`;
}

function keyOf(key: string): string {
  return PLAIN_KEY.test(key) && !RESERVED.test(key) ? key : quote(key);
}
