// A reader of server-sent events: EventSource cannot send the header with the token.

export interface ServerEvent {
  event: string;
  data: string;
  id: string | undefined;
}

/** Splits a stream into events. Call `push` with each piece of text. */
export class EventReader {
  /** The beginning of a line whose end has not arrived. */
  private partial: string[] = [];
  private event = "";
  private data: string[] = [];
  private id: string | undefined;

  constructor(private readonly onEvent: (event: ServerEvent) => void) {}

  push(text: string): void {
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      this.partial.push(text.slice(start, end));
      const line = this.partial.join("");
      this.partial = [];
      this.line(line.endsWith("\r") ? line.slice(0, -1) : line);
      start = end + 1;
    }
    if (start < text.length) this.partial.push(text.slice(start));
  }

  private line(line: string): void {
    if (line === "") return this.dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") this.event = value;
    else if (field === "data") this.data.push(value);
    else if (field === "id") this.id = value;
  }

  private dispatch(): void {
    const data = this.data.join("\n");
    const event = { event: this.event || "message", data, id: this.id };
    this.event = "";
    this.data = [];
    if (data !== "") this.onEvent(event);
  }
}
