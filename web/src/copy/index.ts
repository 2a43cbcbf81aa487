// What a person can copy from a call.
import type { Entry } from "../entry";

export interface Copy {
  id: string;
  label: string;
  language: string;
  text: string;
}

export function copies(entry: Entry, _context: { origin: string; session?: string }): Copy[] {
  return [{ id: "json", label: "JSON", language: "json", text: JSON.stringify(entry, null, 2) }];
}
