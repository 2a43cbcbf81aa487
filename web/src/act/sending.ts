// Sends requests as an application would.
import type { Api } from "../entry";
import { messageOf, send } from "../live/api";
import { token } from "../live/token";

export interface Sent {
  status: number;
  body: string;
  problem: string | undefined;
}

export interface Outgoing {
  api: Api;
  component: string;
  session: string;
  body: string;
}

export function pathOf(api: Api, component: string): string {
  if (api === "openai") return "v1/chat/completions";
  if (api === "responses") return "v1/responses";
  return `v1.0-${api}/conversation/${encodeURIComponent(component)}/converse`;
}

export async function sendRequest({ api, component, session, body }: Outgoing): Promise<Sent> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (session) headers["mynah-session"] = encodeHeader(session);
  if (token() && (api === "openai" || api === "responses")) headers.authorization = `Bearer ${token()}`;
  const response = await send(pathOf(api, component), { method: "POST", headers, body });
  const text = await response.text();
  return { status: response.status, body: pretty(text), problem: response.ok ? undefined : messageOf(text) || response.statusText };
}

/** Headers have bytes; mynah reads them as UTF-8. */
const encodeHeader = (value: string): string => String.fromCharCode(...new TextEncoder().encode(value));

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Returns the names of the components. */
export async function componentNames(): Promise<string[]> {
  const response = await send("v1.0/metadata");
  if (!response.ok) return [];
  const { components } = (await response.json()) as { components?: { name?: string; type?: string }[] };
  const conversations = (components ?? []).filter(({ type }) => type?.startsWith("conversation."));
  return conversations.map(({ name }) => name ?? "");
}
