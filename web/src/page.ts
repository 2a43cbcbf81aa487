// What the page was opened with.
import type { Entry } from "./entry";

/** The calls of a static page. */
export interface Report {
  source: string;
  entries: Entry[];
  /** Lines that could not be read. */
  skipped: number;
}

/** Returns the calls that are in the page, or `undefined` if it is live. */
export function readReport(): Report | undefined {
  const text = document.getElementById("data")?.textContent ?? "null";
  return (JSON.parse(text) as Report | null) ?? undefined;
}
