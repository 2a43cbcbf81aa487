// A call as a file of rules, and as a file with an expectation.
import type { Entry } from "../entry";
import { answer, answerNotes } from "./answer";
import type { Json } from "./json";
import { match, matchNotes } from "./match";
import { comment } from "./text";
import { yaml } from "./yaml";

/** Returns the name of a call in rules and tests. */
export const nameOf = (entry: Entry): string => `call ${entry.number}`;

/** Returns a rule that gives the call the same answer. */
export function rule(entry: Entry): string {
  const body: Json = { name: nameOf(entry), match: match(entry), ...answer(entry) };
  return comments([...matchNotes(entry), ...answerNotes(entry)]) + yaml({ rules: [body] });
}

/** Returns an expectation that the application makes the call. */
export function expectation(entry: Entry): string {
  return yaml({ expect: [{ name: nameOf(entry), match: match(entry), count: { at_least: 1 } }] });
}

export function comments(notes: string[], mark = "#"): string {
  return notes.map((note) => `${mark} ${comment(note)}\n`).join("");
}
