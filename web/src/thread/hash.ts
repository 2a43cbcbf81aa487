// Fingerprints of histories: two calls belong together if the history of one begins with that of the other.
import { readRequest, textOf, type Message } from "../read";
import { entryOf, type Row } from "../store/row";

/** Returns a hash of 53 bits that continues an earlier one. */
function hash(text: string, seed: number): number {
  let low = 0xdeadbeef ^ (seed >>> 0);
  let high = 0x41c6ce57 ^ Math.floor(seed / 0x100000000);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 2654435761);
    high = Math.imul(high ^ code, 1597334677);
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  return 4294967296 * (2097151 & high) + (low >>> 0);
}

const SEPARATOR = "\u0000";
const SILENT = ["system", "developer"];

function fingerprint(message: Message): string {
  const calls = message.calls.map((call) => `${call.name}${SEPARATOR}${call.args}`);
  return [message.role, textOf(message), message.toolId ?? "", ...calls].join(SEPARATOR);
}

/** The histories of a call: hashes of its first message, its first two messages, and so on. */
export interface Histories {
  hashes: number[];
  /** The positions of these messages in the request, as instructions do not count. */
  positions: number[];
}

const known = new WeakMap<Row, Histories>();

/** Returns the histories of a call. Prompts of the system may differ from turn to turn. */
export function historiesOf(row: Row): Histories {
  const found = known.get(row);
  if (found) return found;
  const histories: Histories = { hashes: [], positions: [] };
  let last = hash(row.component, 0);
  readRequest(entryOf(row)).messages.forEach((message, index) => {
    if (SILENT.includes(message.role)) return;
    last = hash(fingerprint(message), last);
    histories.hashes.push(last);
    histories.positions.push(index);
  });
  known.set(row, histories);
  return histories;
}
