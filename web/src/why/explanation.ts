// What `POST /mynah/v1/explain` answers.
import type { Entry } from "../entry";
import { control } from "../live/api";

export interface Mismatch {
  condition: string;
  expected: string;
  seen: string | null;
}

export interface ExplainedRule {
  rule: string;
  file?: string;
  /** The file and line. */
  place?: string;
  answers: boolean;
  matches: boolean;
  uses: number;
  /** How many conditions the rule has, and how many of them hold. */
  conditions: number;
  held: number;
  mismatches: Mismatch[];
  captures?: Record<string, string>;
}

export interface ExplainedArgument {
  name: string;
  value: unknown;
  source: string;
  rule?: string;
  words?: string;
}

export interface ExplainedCall {
  rule: string;
  words: string[];
  arguments: ExplainedArgument[];
  left_out: string[];
}

export interface ExplainedTool {
  tool: string;
  calls: ExplainedCall[];
  reason?: string;
}

export interface Explanation {
  component: string;
  session: string;
  chain: { message?: number; step?: number; error?: string } | null;
  answered_by: string | null;
  rules: ExplainedRule[];
  echo: { tools: ExplainedTool[] } | null;
}

/** Asks which rule would answer the request of a call now. */
export async function explain(entry: Entry): Promise<Explanation> {
  const { request, api, component, session } = entry;
  const body = JSON.stringify({ request, api, session, component: component || undefined });
  return (await control("POST", "explain", body)) as Explanation;
}

/** Sorts rules: the one that answers, then those that match, then those with the fewest unmet conditions, then the most met ones. */
export function nearestFirst(rules: ExplainedRule[]): ExplainedRule[] {
  const distance = (rule: ExplainedRule) => (rule.answers ? -2 : rule.matches ? -1 : rule.conditions - rule.held);
  const met = (rule: ExplainedRule) => (rule.matches ? 0 : rule.held);
  return [...rules].sort((one, other) => distance(one) - distance(other) || met(other) - met(one));
}
