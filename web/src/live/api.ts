// Requests to mynah, at the address that the page comes from.
import { token } from "./token";

/** Returns an address below the root of the HTTP port. */
export const address = (path: string): URL => new URL(`../${path}`, new URL(".", location.href));

export class ApiError extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

export function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (token()) headers.set("dapr-api-token", token());
  return fetch(address(path), { ...init, headers, cache: "no-store" });
}

/** Returns the answer of the control API, or throws its error. */
export async function control(method: string, path: string, body?: string): Promise<unknown> {
  const headers: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  const response = await send(`mynah/v1/${path}`, { method, body, headers });
  if (!response.ok) throw await errorOf(response);
  const text = await response.text();
  return text === "" ? undefined : JSON.parse(text);
}

export async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  return new ApiError(response.status, messageOf(text) || `${response.status} ${response.statusText}`);
}

export function messageOf(text: string): string {
  try {
    const body = JSON.parse(text) as { error?: unknown; message?: unknown };
    const error = typeof body.error === "object" && body.error ? (body.error as { message?: unknown }).message : body.error;
    return String(error ?? body.message ?? text);
  } catch {
    return text.slice(0, 500);
  }
}
