// Faults that are set while mynah runs.
import { ApiError, control } from "../live/api";
import { isObject, list } from "../read/model";

/** Faults, and the calls that they are for; without a name, all. */
export interface Target {
  component?: string;
  session?: string;
  faults: unknown[];
}

export const PRESETS: [label: string, fault: object][] = [
  ["The first call fails", { fail_first: 1, error: { code: "UNAVAILABLE", message: "busy" } }],
  ["Rate limit", { error: { code: "RESOURCE_EXHAUSTED", message: "slow down", retry_after: "2s" } }],
  ["Every second call fails", { every: 2, error: { code: "INTERNAL", message: "broken" } }],
  ["Slow answers", { delay: "2s" }],
  ["No answer", { hang: true }],
  ["Streams break off", { cut_after: 2 }],
  ["The connection is reset", { reset: true }],
  ["Truncated tool arguments", { malformed_args: true }],
  ["No choices", { empty: "choices" }],
];

/** Faults of this page, for a mynah that does not list them. */
let own: Target[] = [];

const isSame = (one: Target, other: Target): boolean => one.component === other.component && one.session === other.session;

export async function getFaults(): Promise<{ targets: Target[]; isComplete: boolean }> {
  try {
    return { targets: readTargets(await control("GET", "faults")), isComplete: true };
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 405)) return { targets: own, isComplete: false };
    throw error;
  }
}

function readTargets(answer: unknown): Target[] {
  return list(isObject(answer) ? answer.faults : answer).filter(isObject).map((item) => {
    const { component, session, faults, ...fault } = item;
    const name = (value: unknown) => (typeof value === "string" ? value : undefined);
    return { component: name(component), session: name(session), faults: Array.isArray(faults) ? faults : [fault] };
  });
}

export async function setFaults(target: Target): Promise<void> {
  await control("PUT", "faults", JSON.stringify(target));
  own = own.filter((other) => !isSame(other, target));
  if (target.faults.length > 0) own.push(target);
}

export async function clearFaults(): Promise<void> {
  await control("DELETE", "faults");
  own = [];
}

export async function resetSession(session: string): Promise<void> {
  await control("POST", `reset?session=${encodeURIComponent(session)}`);
  own = own.filter((target) => target.session !== session);
}
