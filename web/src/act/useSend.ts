import { useState } from "preact/hooks";
import type { Journal } from "../store/journal";
import type { Row } from "../store/row";
import { sendRequest, type Outgoing, type Sent } from "./sending";

export type Result = { state: "none" } | { state: "sending" } | { state: "problem"; problem: string } | { state: "sent"; sent: Sent };

/** Calls a handler on Ctrl+Enter, as Enter alone starts a new line. */
export const onSendKey = (send: (event: Event) => void) => (event: KeyboardEvent): void => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send(event);
};

/** Sends requests, and finds the call in the journal. */
export function useSend(journal: Journal) {
  const [result, setResult] = useState<Result>({ state: "none" });
  const [mark, setMark] = useState({ seq: 0, session: "" });
  const submit = async (make: () => Outgoing) => {
    try {
      const outgoing = make();
      setMark({ seq: journal.items.at(-1)?.seq ?? 0, session: outgoing.session || "default" });
      setResult({ state: "sending" });
      setResult({ state: "sent", sent: await sendRequest(outgoing) });
    } catch (error) {
      setResult({ state: "problem", problem: (error as Error).message });
    }
  };
  const isOwn = (item: Row) => item.seq > mark.seq && item.session === mark.session;
  const call = result.state === "sent" ? journal.items.findLast((item): item is Row => item.kind === "call" && isOwn(item)) : undefined;
  return { result, call, submit };
}
