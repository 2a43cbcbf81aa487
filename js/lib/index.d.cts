import type { DaprClient, DaprClientOptions } from '@dapr/dapr';

/** Starts mynah, which stops when this process ends, even if it is killed. */
export function startMynah(options?: Options): Promise<Mynah>;

/**
 * Returns a test with a session of its own, for `test()` of Vitest, Jest or node:test. If the test
 * fails, it prints the calls of the test, the nearest rules and the log of mynah. Tests with the same
 * options share one mynah.
 */
export function withMynah<Context extends unknown[]>(
  test: (session: Session, ...context: Context) => unknown,
  options?: Options,
): () => Promise<void>;

/** Returns an answer of a chain or a sequence that calls a tool. */
export function toolCall(name: string, args?: Json): Answer;

export interface Options {
  /** Arguments of mynah, such as `--resources-path=components`. */
  args?: string[];
  /** The path of mynah. Otherwise, it is MYNAH_BIN, in the package of the platform or in PATH. */
  binary?: string;
  /**
   * The folder to which mynah records the answers of the real models. `args` can have an `--upstream`;
   * otherwise, it is `openai`.
   */
  record?: string;
  /** The folder with the recordings that answer, without any model. */
  replay?: string;
}

export interface Mynah {
  /** Opens a session: addresses of its own, with rules, faults and calls that no other test sees. */
  session(name: string): Promise<Session>;
  stop(): Promise<void>;
  readonly log: string;
}

export interface Session {
  /** The name of the session in recordings and the journal. With `withMynah`, it has the file and the test. */
  readonly name: string;
  /** Such as `127.0.0.1:41234`. */
  readonly grpcAddress: string;
  readonly httpAddress: string;
  /** Such as `http://127.0.0.1:41235`. */
  readonly httpEndpoint: string;
  /** The `baseURL` of OpenAI's client. */
  readonly openaiBaseUrl: string;
  /** Returns a client of Dapr's SDK, for gRPC unless the options say otherwise. */
  client(options?: Partial<DaprClientOptions>): Promise<DaprClient>;
  /** Returns the variables that Dapr's SDK reads. */
  env(): Record<string, string>;
  /** Sets these variables until the session is closed. */
  useEnv(): void;
  /** Begins a rule. If several rules match a call, the first one answers. */
  when(conditions?: Match): Rule;
  /** Adds the rules of a file in YAML or JSON. Ignores `expect` in the file. */
  rules(file: string): Promise<void>;
  /** Returns the calls that have ended, the oldest first. */
  calls(): Promise<Call[]>;
  /** Returns the last call. Throws if there is none. */
  lastCall(): Promise<Call>;
  /** Throws if the calls are not as expected. Waits for calls that are about to end. */
  verify(checks?: Checks): Promise<void>;
  /** Throws if a replayed request is not recorded. `withMynah` does this at the end of a test. */
  verifyRecorded(): Promise<void>;
  /** Judges how the test retries calls. */
  verdict(): Promise<Verdict>;
  /** Makes calls fail. Replaces the fault before. */
  fault(fault: Fault): Promise<void>;
  /** Removes the faults and answers the calls that wait. */
  endWaits(): Promise<void>;
  /** Removes the calls that have failed, so that `noUnmatched` does not see them. */
  forgetFailed(): Promise<void>;
  /** Describes the calls, the nearest rules and the log of mynah. */
  report(): Promise<string>;
  close(): Promise<void>;
}

export interface Rule {
  /** Answers with a text, which can be a template, or with a step. */
  respond(answer: Answer, options?: RuleOptions): Promise<void>;
  callTool(name: string, args?: Json, options?: RuleOptions): Promise<void>;
  /** Fails with a gRPC code, such as `UNAVAILABLE`. */
  fails(code: string, options?: RuleOptions): Promise<void>;
  /** Answers by the number of assistant messages since the last user message. */
  chain(answers: Answer[], options?: RuleOptions): Promise<void>;
  /** Answers each call with the next answer, and all further calls with the last one. */
  sequence(answers: Answer[], options?: RuleOptions): Promise<void>;
}

export type Json = Record<string, unknown>;
export type Answer = string | Json | Json[];
/** A text that must be contained, or conditions such as `{ matches: 'order \\w+' }`. */
export type Text = string | Json;

/** Conditions of rules. Keys of more than one word can be `lastMessage` or `last_message`. */
export interface Match {
  user?: Text | Text[];
  system?: Text | Text[];
  toolResult?: Text;
  tools?: string[];
  [condition: string]: unknown;
}

export interface RuleOptions {
  /** How often the rule answers. After that, the next rules do. */
  times?: number;
  [key: string]: unknown;
}

export interface Checks extends Match {
  count?: number | { atLeast?: number; atMost?: number };
  noUnmatched?: boolean;
  unused?: boolean;
  outcome?: Call['outcome'];
  waiting?: number;
  scrubbed?: boolean;
  since?: number;
  wait?: string;
}

export interface Fault {
  error?: { code: string; message?: string; retryAfter?: string };
  failFirst?: number;
  delay?: string;
  component?: string;
  [key: string]: unknown;
}

export interface Call {
  number: number;
  surface: 'grpc' | 'http' | 'openai' | 'component';
  component: string;
  stream: boolean;
  time: Date;
  durationMs: number;
  outcome: 'ok' | 'failed' | 'cancelled';
  api?: 'alpha1' | 'alpha2' | 'openai' | 'responses';
  request: unknown;
  messages: Message[];
  tools: { name: string; description?: string; parameters?: Json }[];
  /** The other fields of the request in snake case, such as `temperature`. */
  parameters: Json;
  answer?: Answered;
  error?: { code: string; message: string; retryAfterMs?: number };
  answeredBy: { rule?: string; file?: string; step?: number; fault?: boolean; missed?: boolean }[];
}

export interface Message {
  role: string;
  text: string;
  toolCalls: ToolCall[];
  name?: string;
  toolId?: string;
}

export interface Answered {
  text: string;
  reasoning?: string;
  toolCalls: ToolCall[];
  finishReason?: string;
  model?: string;
  usage?: Record<string, number>;
  /** The part that a fault has left out. */
  missing?: string;
}

export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

export interface Verdict {
  ok: boolean;
  retries: number;
  recovered: number;
  gaveUp: number[];
  violations: { kind: string; message: string; calls: number[] }[];
}
