// Keeps the page connected to the journal.
import type { Entry } from "../entry";
import type { Journal } from "../store/journal";
import { errorOf, send } from "./api";
import { EventReader, type ServerEvent } from "./sse";

export type State = "connecting" | "live" | "reconnecting" | "token";

const FIRST_WAIT = 500;
const MAX_WAIT = 5000;
/** mynah sends a comment every 15 s, so silence for longer means that the connection is gone. */
const SILENCE = 40_000;

export class Connection {
  state: State = "connecting";
  /** Why the connection failed. */
  problem = "";
  /** How many faults are set. */
  faults = 0;
  private lastId = "";
  private wait = FIRST_WAIT;
  private wake: () => void = () => {};
  private listeners = new Set<() => void>();

  constructor(private readonly journal: Journal) {}

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Connects again at once, for example with another token. */
  retry(): void {
    this.wait = FIRST_WAIT;
    this.set("connecting");
    this.wake();
  }

  async run(): Promise<never> {
    for (;;) {
      await this.connect().catch((error: unknown) => this.failed(String(error instanceof Error ? error.message : error)));
      await this.pause();
    }
  }

  private async connect(): Promise<void> {
    const abort = new AbortController();
    const headers: Record<string, string> = { accept: "text/event-stream" };
    if (this.lastId) headers["last-event-id"] = this.lastId;
    const response = await send("mynah/v1/journal/events", { headers, signal: abort.signal });
    if (response.status === 401) return this.set("token");
    if (!response.ok || !response.body) throw await errorOf(response);
    this.problem = "";
    this.wait = FIRST_WAIT;
    this.faults = 0;
    this.set("live");
    await this.read(response.body, abort);
    this.failed("mynah closed the connection");
  }

  private async read(body: ReadableStream<Uint8Array>, abort: AbortController): Promise<void> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    const events = new EventReader((event) => this.handle(event));
    let watchdog = setTimeout(() => abort.abort(), SILENCE);
    try {
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        clearTimeout(watchdog);
        watchdog = setTimeout(() => abort.abort(), SILENCE);
        events.push(decoder.decode(piece.value, { stream: true }));
      }
    } finally {
      clearTimeout(watchdog);
    }
  }

  private handle({ event, data, id }: ServerEvent): void {
    if (event === "entry") {
      this.journal.add(JSON.parse(data) as Entry);
      if (id !== undefined) this.lastId = id;
    } else if (event === "dropped") {
      this.journal.dropped((JSON.parse(data) as { dropped: number }).dropped);
    } else if (event === "faults") {
      this.faults = (JSON.parse(data) as { set: number }).set;
      this.set(this.state);
    } else if (event === "restarted") {
      this.lastId = "";
      this.journal.restart();
    }
  }

  private failed(problem: string): void {
    this.problem = problem;
    this.set("reconnecting");
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
      if (this.state === "token") return;
      setTimeout(resolve, this.wait);
      this.wait = Math.min(MAX_WAIT, this.wait * 2);
    });
  }

  private set(state: State): void {
    this.state = state;
    this.listeners.forEach((listener) => listener());
  }
}
