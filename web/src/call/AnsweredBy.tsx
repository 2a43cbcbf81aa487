import type { Answer, Entry } from "../entry";
import { Name } from "../text/Text";

/** Whether a call failed because of a fault that no rule holds. A rule comes before its own fault. */
export const hadSetFault = ({ answered_by: all }: Entry): boolean =>
  all.some((by, at) => by.fault && all[at - 1]?.rule === undefined);

/** Says in words what made one turn of an answer. */
function describe(by: Answer, before: Answer | undefined): string {
  if (by.fault) return before?.rule === undefined ? "a fault that is set, or one of the component" : "the fault of this rule";
  if (by.missed) return "nothing: the request is not recorded";
  const step = by.step === undefined ? "" : `, step ${by.step}`;
  if (by.chain_in_message !== undefined) return `the instruction chain in message ${by.chain_in_message}${step}`;
  const place = by.place ?? by.file;
  return `rule ${by.rule ?? "?"}${step}${place ? ` · ${place}` : ""}`;
}

/** Says in words what answered a call. */
export function answerers(entry: Entry): string[] {
  if (entry.answered_by.length > 0) return entry.answered_by.map((by, at, all) => describe(by, all[at - 1]));
  if (entry.component === "") return ["nothing: the call reached no component"];
  if (entry.outcome !== "ok") return ["no rule"];
  return [`${entry.response?.model || entry.component}, as no rule or chain did`];
}

export function AnsweredBy({ entry }: { entry: Entry }) {
  const label = entry.outcome === "ok" ? "answered by" : "decided by";
  return (
    <span class="by">
      {label} {answerers(entry).map((text, index) => <>{index > 0 && ", "}<Name>{text}</Name></>)}
    </span>
  );
}
