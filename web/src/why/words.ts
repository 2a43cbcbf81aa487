// Finds the words of an explanation in a message.
import type { Explanation } from "./explanation";

/** A part of a text, and why it is highlighted. */
export interface Highlight {
  text: string;
  kind: "" | "mention" | "argument";
  /** What the words gave: a tool, or an argument. */
  of: string;
}

interface Wanted {
  words: string;
  kind: "mention" | "argument";
  of: string;
}

export function wantedWords(explanation: Explanation): Wanted[] {
  const tools = explanation.echo?.tools ?? [];
  return tools.flatMap(({ tool, calls }) =>
    calls.flatMap((call) => [
      ...call.arguments.flatMap(({ name, words }) => (words ? [{ words, kind: "argument" as const, of: `${tool}.${name}` }] : [])),
      ...call.words.map((words) => ({ words, kind: "mention" as const, of: tool })),
    ]),
  );
}

const isWordCharacter = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}_]/u.test(character);

/** Returns the position of whole words in a text, or -1. */
function find(text: string, words: string, isTaken: (start: number, end: number) => boolean): number {
  const lower = words.toLowerCase();
  for (let at = text.indexOf(lower); at >= 0; at = text.indexOf(lower, at + 1)) {
    const end = at + lower.length;
    if (!isWordCharacter(text[at - 1]) && !isWordCharacter(text[end]) && !isTaken(at, end)) return at;
  }
  return -1;
}

/** Splits a text at the words that gave a tool or an argument. */
export function highlight(text: string, wanted: Wanted[]): Highlight[] {
  const found: { start: number; end: number; wanted: Wanted }[] = [];
  const isTaken = (start: number, end: number) => found.some((other) => start < other.end && other.start < end);
  const lower = text.toLowerCase();
  for (const one of wanted) {
    const start = one.words === "" ? -1 : find(lower, one.words, isTaken);
    if (start >= 0) found.push({ start, end: start + one.words.length, wanted: one });
  }
  found.sort((one, other) => one.start - other.start);
  const parts: Highlight[] = [];
  let end = 0;
  for (const one of found) {
    parts.push({ text: text.slice(end, one.start), kind: "", of: "" });
    parts.push({ text: text.slice(one.start, one.end), kind: one.wanted.kind, of: one.wanted.of });
    end = one.end;
  }
  parts.push({ text: text.slice(end), kind: "", of: "" });
  return parts.filter((part) => part.text !== "");
}
