// Threads: calls of one session whose histories extend each other.
import type { Item, Row } from "../store/row";
import { historiesOf } from "./hash";

export interface Turn {
  row: Row;
  /** The call whose history this one extends, or that it repeats. */
  parent: Turn | undefined;
  /** Whether it sends the history of a call that has failed again. */
  isRetry: boolean;
  thread: Turn[];
}

/** Returns the calls of a session as turns, in the order in which they began. */
function turnsOf(items: Item[], session: string): Map<Row, Turn> {
  const rows = items.filter((item): item is Row => item.kind === "call" && item.session === session);
  rows.sort((one, other) => one.start - other.start || one.seq - other.seq);
  const latest = new Map<number, Turn>();
  const turns = new Map<Row, Turn>();
  for (const row of rows) {
    const turn = link(row, latest);
    turns.set(row, turn);
    const whole = historiesOf(row).hashes.at(-1);
    if (whole !== undefined) latest.set(whole, turn);
  }
  return turns;
}

export const turnOf = (items: Item[], row: Row): Turn | undefined => turnsOf(items, row.session).get(row);

/** Puts a call into the thread of the latest call that it repeats or extends, or into one of its own. */
function link(row: Row, latest: Map<number, Turn>): Turn {
  const { hashes } = historiesOf(row);
  const same = latest.get(hashes.at(-1) ?? -1);
  const isRetry = same !== undefined && same.row.outcome !== "ok";
  const parent = isRetry ? same : longest(hashes, latest);
  const turn: Turn = { row, parent, isRetry, thread: parent?.thread ?? [] };
  turn.thread.push(turn);
  return turn;
}

function longest(hashes: number[], latest: Map<number, Turn>): Turn | undefined {
  for (let index = hashes.length - 2; index >= 0; index--) {
    const found = latest.get(hashes[index] as number);
    if (found) return found;
  }
  return undefined;
}

/** Returns the calls that made the earlier turns of the assistant, by the position of the message. */
export function originsOf(turn: Turn | undefined): Map<number, Row> {
  const origins = new Map<number, Row>();
  const positions = turn ? historiesOf(turn.row).positions : [];
  for (let parent = turn?.parent; parent; parent = parent.parent) {
    const position = positions[historiesOf(parent.row).hashes.length];
    if (position !== undefined && parent.row.outcome === "ok" && !origins.has(position)) origins.set(position, parent.row);
  }
  return origins;
}
