// The request of a call, as it can be sent again.
import type { Entry } from "../entry";
import { object, type Json } from "./json";

export interface Context {
  /** The address of the page, which is that of mynah's HTTP API. */
  origin: string;
  /** The session to send to, instead of that of the call. */
  session?: string;
  /** Whether mynah needs a token. */
  hasToken?: boolean;
}

/** A request to send. */
export interface Request {
  body: Json;
  /** What cannot be copied. */
  notes: string[];
}

export const isOpenAI = (entry: Entry): boolean => entry.api === "openai" || entry.api === "responses";

/** Returns the path of the call in mynah's HTTP API. */
export function pathOf({ api, component }: Entry): string {
  if (api === "openai") return "/v1/chat/completions";
  if (api === "responses") return "/v1/responses";
  const name = encodeURIComponent(component).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
  return `/v1.0-${api ?? "alpha2"}/conversation/${name}/converse`;
}

/** Returns the request of a call, with placeholders for what the journal does not have. */
export function requestOf(entry: Entry): Request {
  const notes: string[] = [];
  const body = restored(object(entry.request), "", notes) as Json;
  if (JSON.stringify(body).includes("[redacted]")) notes.push("[redacted] replaces secrets, which mynah does not show.");
  if (!isOpenAI(entry)) {
    delete body.name;
    return { body, notes };
  }
  // mynah puts the history into the input of a request that reaches a component.
  if (body.previous_response_id && entry.component) {
    delete body.previous_response_id;
    notes.push("The input is the whole history, without previous_response_id.");
  }
  return { body: { ...(entry.component && { model: entry.component }), ...body }, notes };
}

/** Returns the request with the session in its metadata, where headers can have ASCII only. */
export function requestIn(entry: Entry, context: Context): Request {
  const request = requestOf(entry);
  const session = sessionOf(entry, context);
  if (session === undefined || isAscii(session)) return request;
  const metadata = { ...object(request.body.metadata), "mynah-session": session };
  return { ...request, body: { ...request.body, metadata } };
}

/** Returns the session for a header, if the call needs one. */
export function sessionHeader(entry: Entry, context: Context): string | undefined {
  const session = sessionOf(entry, context);
  return session !== undefined && isAscii(session) ? session : undefined;
}

function sessionOf(entry: Entry, context: Context): string | undefined {
  const session = context.session ?? entry.session;
  return session === "default" ? undefined : session;
}

const isAscii = (text: string): boolean => /^[!-~]([ -~]*[!-~])?$/.test(text);

/** Returns the address of mynah's HTTP API; a file has none. */
export function originOf({ origin }: Context): string {
  return origin.startsWith("http") ? origin.replace(/\/$/, "") : "http://127.0.0.1:3500";
}

/** The smallest values that have the form of what is replaced with its size. */
const EMPTY: Record<string, unknown> = {
  input_audio: { data: "", format: "wav" },
  file: { filename: "file", file_data: "data:," },
};

/** Replaces `{"bytes": 1234}`, which stands for an image, audio or a file. */
function restored(value: unknown, key: string, notes: string[], isPart = false): unknown {
  if (Array.isArray(value)) return value.map((item) => restored(item, "", notes, isPart || key === "content" || key === "output"));
  if (typeof value !== "object" || value === null) return value;
  const { bytes, ...others } = value as Json;
  if (isPart && typeof bytes === "number" && Object.keys(others).length === 0) {
    notes.push(`The journal does not have the ${bytes} bytes of ${key}: a placeholder replaces them.`);
    return EMPTY[key] ?? "data:,";
  }
  const entries = Object.entries(value as Json).map(([name, inner]) => [name, restored(inner, name, notes, isPart || name === "content" || name === "output")]);
  const made = Object.fromEntries(entries) as Json;
  // In chat completions, the URL of an image is in an object.
  if (made.type === "image_url" && made.image_url === "data:,") made.image_url = { url: "data:," };
  return made;
}
