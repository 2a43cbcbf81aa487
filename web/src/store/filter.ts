// Selects the calls that the list shows.
import { readAnswer, readRequest, textOf, type Message } from "../read";
import { entryOf, type Item, type Row } from "./row";

export interface Filter {
  session: string;
  component: string;
  outcome: string;
  text: string;
}

export const NO_FILTER: Filter = { session: "", component: "", outcome: "", text: "" };

export const isActive = (filter: Filter): boolean => Object.values(filter).some(Boolean);

/** Results for the current text. Rows that are gone leave with their keys. */
let searched = { text: "", found: new WeakMap<Row, boolean>() };

export function select(items: Item[], filter: Filter): Item[] {
  if (!isActive(filter)) return items;
  const text = filter.text.toLowerCase();
  if (searched.text !== text) searched = { text, found: new WeakMap() };
  const pattern = text ? new RegExp(escaped(text), "i") : undefined;
  return items.filter((item) => item.kind === "call" && selects(filter, item) && (!pattern || contains(item, pattern)));
}

function selects(filter: Filter, row: Row): boolean {
  return (
    (!filter.session || row.session.includes(filter.session)) &&
    (!filter.component || row.component === filter.component) &&
    (!filter.outcome || row.outcome === filter.outcome)
  );
}

/** The text as it is within JSON, as a pattern. */
const escaped = (text: string): string =>
  JSON.stringify(text).slice(1, -1).replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

function contains(row: Row, pattern: RegExp): boolean {
  const known = searched.found.get(row);
  if (known !== undefined) return known;
  // The JSON also has the names of keys, so a hit in it is only a candidate.
  const found = pattern.test(row.raw) && searchable(row).includes(searched.text);
  searched.found.set(row, found);
  return found;
}

function searchable(row: Row): string {
  const entry = entryOf(row);
  const request = readRequest(entry);
  const answer = readAnswer(entry);
  const messages = answer ? [...request.messages, answer] : request.messages;
  const rules = entry.answered_by.map((by) => `${by.rule ?? ""} ${by.place ?? ""}`);
  const tools = request.tools.map((tool) => tool.name);
  const error = entry.error ? `${entry.error.code} ${entry.error.message}` : "";
  const own = [entry.session, entry.component, request.unreadable ?? "", error, entry.trace?.trace_id ?? ""];
  return [...own, ...messages.map(words), ...rules, ...tools].join("\n").toLowerCase();
}

const words = (message: Message): string =>
  [textOf(message), message.reasoning ?? "", ...message.calls.map((call) => `${call.name} ${call.args} ${call.id ?? ""}`)].join("\n");
