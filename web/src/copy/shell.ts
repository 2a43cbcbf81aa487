// A call as a command of a shell.
import type { Entry } from "../entry";
import { list, object } from "./json";
import { isOpenAI, originOf, pathOf, requestIn, sessionHeader, type Context } from "./request";
import { comments } from "./rules";
import { json, mapInvisible } from "./text";

/** Returns a word of a shell. */
const word = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns a word with escapes, for bytes that a terminal would not take. */
function escapedWord(text: string): string {
  const bytes = (char: string) => [...new TextEncoder().encode(char)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
  return `$'${mapInvisible(text.replace(/[\\']/g, "\\$&"), bytes)}'`;
}

/** Returns the command that reads the body from its standard input, which has no limit on its size. */
function withBody(parts: string[], body: string): string {
  return `${parts.join(" \\\n  ")} <<'JSON'\n${body}\nJSON\n`;
}

export function curl(entry: Entry, context: Context): string {
  const session = sessionHeader(entry, context);
  const isDaprStream = entry.stream && !isOpenAI(entry);
  const parts = [
    `curl ${entry.stream ? "--no-buffer " : ""}${word(originOf(context) + pathOf(entry))}`,
    "-H 'content-type: application/json'",
    isDaprStream && "-H 'accept: text/event-stream'",
    session !== undefined && `-H ${word(`mynah-session: ${session}`)}`,
    context.hasToken && `-H "${isOpenAI(entry) ? "authorization: Bearer" : "dapr-api-token:"} $DAPR_API_TOKEN"`,
  ].filter((part) => typeof part === "string");
  if (typeof entry.request === "string") return unread(parts, entry.request);
  const { body, notes } = requestIn(entry, context);
  return comments(notes) + withBody([...parts, "--data-binary @-"], json(body, 2));
}

/** Returns the command for a body that mynah could not read. */
function unread(parts: string[], body: string): string {
  const notes = /… and \d+ more bytes$/.test(body) ? ["The journal has the beginning of the body only."] : [];
  return `${comments(notes)}${[...parts, `--data-binary ${escapedWord(body)}`].join(" \\\n  ")}\n`;
}

/** Returns the method of Dapr's gRPC API. */
export function methodOf({ api, stream }: Entry): string {
  return `Converse${stream ? "Stream" : ""}${api === "alpha1" ? "Alpha1" : "Alpha2"}`;
}

export function grpcurl(entry: Entry, context: Context): string {
  const { body, notes } = requestIn(entry, context);
  const session = sessionHeader(entry, context);
  const parts = [
    "grpcurl -plaintext",
    session !== undefined && `-H ${word(`mynah-session: ${session}`)}`,
    context.hasToken && '-H "dapr-api-token: $DAPR_API_TOKEN"',
    `-d @ "${hostOf(context)}:\${DAPR_GRPC_PORT:-50001}"`,
    `dapr.proto.runtime.v1.Dapr/${methodOf(entry)}`,
  ];
  return comments(notes) + withBody(parts.filter((part) => typeof part === "string"), json({ name: entry.component, ...body }, 2));
}

function hostOf(context: Context): string {
  const { hostname } = new URL(originOf(context));
  return /^[\w.:[\]-]+$/.test(hostname) ? hostname : "127.0.0.1";
}

/** Returns `true` if a client of gRPC can send the request. */
export function isForGrpc(entry: Entry): boolean {
  return !isOpenAI(entry) && list(object(entry.request).inputs).length > 0;
}
