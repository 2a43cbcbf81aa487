import { useEffect, useReducer } from "preact/hooks";
import type { Journal } from "./journal";

/** Draws again when the journal changes. */
export function useJournal(journal: Journal): number {
  const [, draw] = useReducer((version: number, _: void) => version + 1, 0);
  useEffect(() => {
    // It may have changed between the first drawing and this effect.
    draw(undefined);
    return journal.subscribe(() => draw(undefined));
  }, [journal]);
  return journal.version;
}
