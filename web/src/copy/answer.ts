// The answer of a call as `respond` of a rule.
import type { Entry, EntryResponse, EntryToolCall } from "../entry";
import { defined, object, pick, type Json } from "./json";
import { messages, toolNames } from "./messages";

const LONGEST_ERROR = 500;
const LONGEST_KEY = 500;
const DEEPEST = 30;

/** The answer of a rule for a call that has none to copy. */
export const PLACEHOLDER = "Write the answer here.";

const TEMPLATE = /\{[{%#]/;
/** An escape that may be half of a character, which YAML does not have. */
const SURROGATE = /\\ud[89a-f]/i;
const PREFIX = /^failed conversing with component .*?: /s;

/** Returns the keys of a rule that say what it answers. */
export function answer(entry: Entry): Json {
  if (entry.response) return answered(entry, entry.response);
  if (!isScripted(entry)) return { respond: PLACEHOLDER };
  return { respond: { error: error(entry) } };
}

/** Returns `true` if a call has an answer or an error that a rule can give. */
export function isScripted(entry: Entry): boolean {
  if (entry.response) return true;
  const isUnmatched = entry.error?.code === "NOT_FOUND" && entry.answered_by.length === 0 && reached(entry);
  return entry.error !== undefined && !isUnmatched && !entry.answered_by.some(({ missed }) => missed);
}

/** Returns `true` if the error is that of a component, and not of a request that mynah rejects. */
const reached = ({ error, surface }: Entry): boolean => surface === "component" || PREFIX.test(error?.message ?? "");

/** Returns the message of the error without what mynah puts before it. */
function error({ error, component }: Entry): Json {
  const prefix = `failed conversing with component ${component}: `;
  const full = error?.message ?? "";
  const message = full.startsWith(prefix) ? full.slice(prefix.length) : full.replace(PREFIX, "");
  const retry = error?.retry_after_ms ? `${Math.round(error.retry_after_ms)}ms` : undefined;
  return defined({ code: error?.code, message: [...message].slice(0, LONGEST_ERROR).join(""), retry_after: retry });
}

function answered(entry: Entry, response: EntryResponse): Json {
  if (response.missing) return { respond: { empty: response.missing } };
  const calls = response.tool_calls ?? [];
  const offered = toolNames(entry);
  const usual = calls.length > 0 ? "tool_calls" : "stop";
  const step = defined({
    reasoning: response.reasoning && template(response.reasoning),
    finish_reason: response.finish_reason === usual ? undefined : response.finish_reason,
  });
  const items = itemsOf(entry, response.text ?? "", calls);
  const respond = Object.keys(step).length > 0 ? { ...step, messages: items } : short(items);
  return { respond, ...(calls.some(({ name }) => !offered.includes(name)) && { allow_unoffered: true }) };
}

function itemsOf(entry: Entry, text: string, calls: EntryToolCall[]): Json[] {
  const content = text === "" && calls.length > 0 ? [] : [wantsJson(entry) ? structured(text) : { text: template(text) }];
  return calls.length > 0 ? [...content, { tool_call: calls.map(toolCall) }] : content;
}

/** Returns a text instead of a list with one text. */
function short(items: Json[]): unknown {
  return items.length === 1 && typeof items[0]?.text === "string" ? items[0].text : items;
}

function toolCall({ id, name, arguments: args }: EntryToolCall): Json {
  const value = exact(args);
  const given = value === undefined ? { raw_args: args } : { args: value };
  // Echo's ids depend on the request, so that the rule gives the same ones.
  return { name, ...given, ...(id && !id.startsWith("call_echo_") && { id }) };
}

function structured(text: string): Json {
  const value = exact(text);
  return value === undefined ? { text: template(text) } : { json: value };
}

function wantsJson(entry: Entry): boolean {
  const request = object(entry.request);
  return pick(request, "responseFormat", "response_format") !== undefined || object(request.text).format !== undefined;
}

/** Returns the object or list in a text, if a rule with it answers exactly this text. */
function exact(text: string): Json | undefined {
  if (!/^[{[]/.test(text) || TEMPLATE.test(text) || SURROGATE.test(text)) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return JSON.stringify(value) === text && isPlain(value, 0) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns `false` for keys and levels that YAML does not have. */
function isPlain(value: unknown, level: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  const keys = Array.isArray(value) ? [] : Object.keys(value);
  return level < DEEPEST && keys.every((key) => key.length < LONGEST_KEY) && Object.values(value).every((it) => isPlain(it, level + 1));
}

/** Returns a template that stands for exactly this text. */
export function template(text: string): string {
  if (!TEMPLATE.test(text)) return text;
  const raw = text.replace(/\{%(?=[-+]?\s*endraw)/g, "{% endraw %}{{ '{%' }}{% raw %}");
  return `{% raw %}${raw}{% endraw %}`;
}

/** Returns what the reader has to know of the answer. */
export function answerNotes(entry: Entry): string[] {
  const notes: string[] = [];
  if (!isScripted(entry)) notes.push(entry.outcome === "cancelled" ? "The call was cancelled before its answer." : "No rule answered the call.");
  if (entry.error && isScripted(entry) && !reached(entry)) {
    notes.push("mynah rejected this request before a rule could answer.");
  }
  if (entry.answered_by.some((it) => it.chain_in_message !== undefined)) {
    notes.push("An instruction chain in the prompt answered, which goes before rules.");
  }
  if (messages(entry).length === 0) notes.push("The request has no messages: the rule answers every call.");
  return notes;
}
