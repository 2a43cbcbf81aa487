// The lines of the list. A row keeps its entry as text, which takes less memory than objects.
import type { Entry, Outcome } from "../entry";
import { readAnswer, readRequest, textOf, type Message } from "../read";
import { clip, shortArguments } from "../text/format";

export interface Row {
  kind: "call";
  /** The position in the order of arrival. */
  seq: number;
  /** The number in links: that of the call, and after a restart also that of the process. */
  key: string;
  number: number;
  raw: string;
  time: string;
  start: number;
  session: string;
  component: string;
  surface: string;
  words: string;
  answer: string;
  duration: number;
  tokens: number | undefined;
  outcome: Outcome;
}

/** A line that says why calls are missing. */
export interface Marker {
  kind: "marker";
  seq: number;
  text: string;
}

export type Item = Row | Marker;

const CLIP = 160;

export function rowOf(entry: Entry, seq: number, run: number): Row {
  const raw = JSON.stringify(entry);
  return {
    kind: "call",
    seq,
    key: run === 0 ? String(entry.number) : `${entry.number}.${run}`,
    number: entry.number,
    raw,
    time: entry.time,
    start: Date.parse(entry.time),
    session: entry.session,
    component: entry.component,
    surface: entry.surface ?? "",
    words: lastWords(entry),
    answer: shortAnswer(entry),
    duration: entry.duration_ms,
    tokens: entry.response?.usage?.total_tokens,
    outcome: entry.outcome,
  };
}

const isUser = (message: Message): boolean => message.role === "user";

function lastWords(entry: Entry): string {
  const { messages, unreadable } = readRequest(entry);
  const last = messages.filter(isUser).at(-1) ?? messages.at(-1);
  return clip(unreadable ?? (last ? textOf(last) : ""), CLIP);
}

function shortAnswer(entry: Entry): string {
  if (entry.error) return clip(`${entry.error.code} ${entry.error.message}`, CLIP);
  const answer = readAnswer(entry);
  if (!answer) return "";
  const calls = answer.calls.map((call) => `${call.name}(${shortArguments(call.args.slice(0, CLIP * 4))})`);
  return clip([...calls, textOf(answer)].filter(Boolean).join(" "), CLIP);
}

const parsed = new Map<string, Entry>();
const KEPT = 32;

/** Returns the entry of a row, and keeps the latest ones. */
export function entryOf(row: Row): Entry {
  const known = parsed.get(row.raw);
  if (known) return known;
  const entry = JSON.parse(row.raw) as Entry;
  parsed.set(row.raw, entry);
  if (parsed.size > KEPT) parsed.delete(parsed.keys().next().value as string);
  return entry;
}
