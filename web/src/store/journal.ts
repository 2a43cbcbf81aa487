// The calls that the page has, oldest first.
import type { Entry } from "../entry";
import { Names } from "./names";
import { rowOf, type Item, type Row } from "./row";
import { count } from "../text/format";

export const MAX_ITEMS = 10_000;
/** Maximum number of characters of all entries. */
const MAX_SIZE = 128 * 1024 * 1024;
/** Time between two redraws, in milliseconds. */
const FLUSH = 100;

export class Journal {
  items: Item[] = [];
  waiting: Item[] = [];
  paused = false;
  version = 0;
  readonly sessions = new Names();
  readonly components = new Names();
  private rows = new Map<string, Row>();
  private run = 0;
  private lastNumber = 0;
  private seq = 0;
  private size = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private listeners = new Set<() => void>();

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  add(entry: Entry): void {
    if (entry.number <= this.lastNumber) this.restart();
    this.lastNumber = entry.number;
    this.push(rowOf(entry, ++this.seq, this.run));
  }

  dropped(calls: number): void {
    this.mark(`${count(calls, "call")} dropped: this page was too slow, or the journal had no room`);
  }

  /** Numbers start again with the next entry. */
  restart(): void {
    this.run += 1;
    this.lastNumber = 0;
    this.mark("mynah was restarted: calls are numbered from 1 again");
  }

  mark(text: string): void {
    this.push({ kind: "marker", seq: ++this.seq, text });
  }

  pause(paused: boolean): void {
    this.paused = paused;
    if (!paused) this.take();
    this.changed();
  }

  /** Removes the calls of a session, or all. */
  remove(session: string | undefined): void {
    const stays = (item: Item) => session !== undefined && (item.kind === "marker" || item.session !== session);
    const gone = this.items.filter((item) => !stays(item));
    this.items = this.items.filter(stays);
    this.waiting = this.waiting.filter(stays);
    gone.forEach((item) => this.forget(item));
    this.changed();
  }

  /** Finds the call of a link. */
  find(key: string): Row | undefined {
    return this.rows.get(key) ?? this.rows.get(key.split(".")[0] ?? "");
  }

  private push(item: Item): void {
    this.waiting.push(item);
    if (this.paused && this.waiting.length > MAX_ITEMS) this.waiting.shift();
    this.timer ??= setTimeout(() => this.flush(), FLUSH);
  }

  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (!this.paused) this.take();
    this.changed();
  }

  private take(): void {
    for (const item of this.waiting) this.keep(item);
    this.waiting = [];
    let surplus = Math.max(0, this.items.length - MAX_ITEMS);
    for (const item of this.items.slice(0, surplus)) this.forget(item);
    while (this.size > MAX_SIZE && surplus < this.items.length - 1) this.forget(this.items[surplus++] as Item);
    this.items = this.items.slice(surplus);
  }

  private keep(item: Item): void {
    this.items.push(item);
    if (item.kind === "marker") return;
    this.rows.set(item.key, item);
    this.size += item.raw.length;
    this.sessions.add(item.session);
    this.components.add(item.component);
  }

  private forget(item: Item): void {
    if (item.kind === "marker") return;
    if (this.rows.get(item.key) === item) this.rows.delete(item.key);
    this.size -= item.raw.length;
    this.sessions.remove(item.session);
    this.components.remove(item.component);
  }

  private changed(): void {
    this.version += 1;
    this.listeners.forEach((listener) => listener());
  }
}
