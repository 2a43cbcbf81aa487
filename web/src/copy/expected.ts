// What a test of a call expects.
import type { Entry } from "../entry";
import { PLACEHOLDER, answer, answerNotes } from "./answer";
import { object, string } from "./json";
import { matchNotes } from "./match";
import { requestOf } from "./request";

export interface Expected {
  text: string;
  calls: { name: string; args: string }[];
  /** The code of the error, if the call fails. */
  code?: string;
}

export function expected(entry: Entry): Expected {
  const { response } = entry;
  if (response) {
    const calls = (response.tool_calls ?? []).map((call) => ({ name: call.name, args: call.arguments }));
    return { text: response.text ?? "", calls, };
  }
  const code = string(object(object(answer(entry).respond).error).code);
  return { text: code ? "" : PLACEHOLDER, calls: [], ...(code && { code }) };
}

/** Returns what the reader of a test has to know. */
export function testNotes(entry: Entry): string[] {
  return [...new Set([...requestOf(entry).notes, ...matchNotes(entry), ...answerNotes(entry)])];
}

/** Returns `true` if a test must start mynah with the components of the application. */
export function needsComponents(entry: Entry): boolean {
  const model = object(entry.request).model;
  return entry.component !== "echo" && (typeof model !== "string" || entry.api === "alpha1" || entry.api === "alpha2");
}
