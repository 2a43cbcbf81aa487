// The conditions that select a call.
import type { Entry } from "../entry";
import { object, pick, list, type Json } from "./json";
import { messages, toolNames, toolOf, type Message } from "./messages";

/** Returns `match` of a rule: the last user message, the tools, and the result that ends the history. */
export function match(entry: Entry): Json {
  const history = messages(entry);
  const tools = toolNames(entry);
  const last = history.at(-1);
  return {
    ...userOf(history),
    ...(tools.length > 0 && { tools }),
    ...(last?.role === "tool" && { last_tool_result: resultOf(last, history) }),
    ...(last?.role !== "tool" && tools.length > 0 && { has_tool_result: false }),
  };
}

function userOf(history: Message[]): Json {
  const user = history.filter(({ role }) => role === "user").at(-1);
  if (user) return { user: { equals: user.text } };
  const last = history.at(-1);
  return last && last.role !== "tool" ? { last_message: { equals: last.text } } : {};
}

function resultOf(result: Message, history: Message[]): Json {
  const tool = toolOf(result, history);
  return { ...(tool && { tool }), equals: result.text };
}

/** Returns what the reader has to know of the conditions. */
export function matchNotes(entry: Entry): string[] {
  const notes: string[] = [];
  if (scrubs(entry)) notes.push("The request scrubs personal data: rules see placeholders such as <EMAIL_ADDRESS> instead.");
  if (JSON.stringify(match(entry)).includes("[redacted]")) {
    notes.push("[redacted] replaces a secret, which mynah does not show: rules see the secret.");
  }
  const others = unmatched(entry);
  if (others.length > 0) {
    const any = others.map(([name]) => `any ${name}`).join(" and ");
    notes.push(`Matches ${any}; add ${others.map(([, key]) => `\`${key}\``).join(" and ")} to select one.`);
  }
  return notes;
}

/** Returns what the call has and the conditions leave out, with the keys of rules for it. */
function unmatched(entry: Entry): [name: string, key: string][] {
  const request = object(entry.request);
  const isSystem = ({ role }: Message) => role === "system" || role === "developer";
  const hasSystem = messages(entry).some(isSystem) || Boolean(pick(request, "instructions"));
  const found: [string, string][] = [];
  if (hasSystem && !("last_message" in match(entry))) found.push(["system prompt", "system"]);
  if (pick(request, "temperature") !== undefined) found.push(["temperature", "temperature"]);
  return found;
}

function scrubs(entry: Entry): boolean {
  const request = object(entry.request);
  return [request, ...list(request.inputs)].some((it) => pick(object(it), "scrubPII", "scrubPii", "scrub_pii") === true);
}
