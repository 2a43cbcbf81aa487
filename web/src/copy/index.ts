// What a person can copy from a call.
import type { Entry } from "../entry";
import { goClient } from "./client_go";
import { openaiClient } from "./client_openai";
import { pythonClient } from "./client_python";
import { gotest } from "./gotest";
import { pytest } from "./pytest";
import { isOpenAI, type Context } from "./request";
import { expectation, rule } from "./rules";
import { curl, grpcurl, isForGrpc } from "./shell";
import { wellFormed } from "./text";
import { vitest } from "./vitest";

export interface Copy {
  id: string;
  label: string;
  language: string;
  text: string;
}

interface Kind {
  id: string;
  label: string;
  language: string;
  write(entry: Entry, context: Context): string;
  /** Whether this can be written for the call. */
  suits?(entry: Entry): boolean;
}

const isRead = (entry: Entry): boolean => typeof entry.request === "object" && entry.request !== null;
// A body that mynah could not read is shown as bytes, unless it came over HTTP.
const isForHttp = (entry: Entry): boolean => isRead(entry) || (typeof entry.request === "string" && entry.surface !== "grpc");
const isDapr = (entry: Entry): boolean => isRead(entry) && isForGrpc(entry);

const KINDS: Kind[] = [
  { id: "rule", label: "Rule", language: "yaml", write: rule, suits: isRead },
  { id: "expect", label: "Expectation", language: "yaml", write: expectation, suits: isRead },
  { id: "pytest", label: "Test with pytest", language: "python", write: pytest, suits: isRead },
  { id: "go", label: "Test in Go", language: "go", write: gotest, suits: isRead },
  { id: "typescript", label: "Test with Vitest", language: "typescript", write: vitest, suits: isRead },
  { id: "curl", label: "curl", language: "bash", write: curl, suits: isForHttp },
  { id: "grpcurl", label: "grpcurl", language: "bash", write: grpcurl, suits: isDapr },
  { id: "python", label: "Dapr's Python SDK", language: "python", write: pythonClient, suits: isDapr },
  { id: "python", label: "OpenAI's client for Python", language: "python", write: openaiClient, suits: (entry) => isRead(entry) && isOpenAI(entry) },
  { id: "go-client", label: "Dapr's Go SDK", language: "go", write: goClient, suits: isDapr },
];

/** Returns the texts that stand for a call in files, tests and programs. */
export function copies(entry: Entry, context: Context): Copy[] {
  const clean = wellFormed(entry);
  return KINDS.filter(({ suits }) => suits?.(clean) ?? true).map(({ id, label, language, write }) => {
    return { id, label, language, text: write(clean, context) };
  });
}
