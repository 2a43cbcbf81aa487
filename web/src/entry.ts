// An entry of the journal, as `GET /mynah/v1/journal` returns it.

/** The form of a request. */
export type Api = "alpha1" | "alpha2" | "openai" | "responses";

/** How a call has ended. */
export type Outcome = "ok" | "failed" | "cancelled";

export interface Entry {
  number: number;
  /** When the request arrived, as RFC 3339. */
  time: string;
  duration_ms: number;
  surface: "grpc" | "http" | "openai" | "component" | null;
  session: string;
  component: string;
  stream: boolean;
  api?: Api;
  /** The request as the client sent it; a text if it could not be decoded. */
  request?: unknown;
  outcome: Outcome;
  response?: EntryResponse;
  error?: EntryError;
  answered_by: Answer[];
  trace?: { trace_id: string; parent_id?: string };
}

export interface EntryResponse {
  /** The part that a fault has left out. */
  missing?: "outputs" | "choices" | "message";
  text?: string;
  reasoning?: string;
  tool_calls?: EntryToolCall[];
  finish_reason?: string;
  model?: string;
  usage?: EntryUsage;
}

export interface EntryToolCall {
  id: string | null;
  name: string;
  /** The arguments as JSON text, which may be invalid. */
  arguments: string;
}

export interface EntryUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  reasoning_tokens?: number;
  cached_tokens?: number;
}

export interface EntryError {
  /** The gRPC name of the code. */
  code: string;
  message: string;
  retry_after_ms?: number;
}

/** What made one turn of an answer. Echo leaves none. */
export interface Answer {
  /** The name of a rule, or its number in the file. */
  rule?: string;
  /** The file of the rule, if the component has several, or its session. */
  file?: string;
  /** The file and line of the rule, such as `rules/weather.yaml:12`. */
  place?: string;
  /** The step of a rule's chain or of an instruction chain, from 1. */
  step?: number;
  fault?: boolean;
  missed?: boolean;
  /** The message with the instruction chain, from 1. */
  chain_in_message?: number;
}
