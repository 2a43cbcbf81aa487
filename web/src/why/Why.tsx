import { useEffect, useState } from "preact/hooks";
import { answerers, hadSetFault } from "../call/AnsweredBy";
import type { Entry } from "../entry";
import { withFilter } from "../route";
import { Name } from "../text/Text";
import { EchoWhy } from "./EchoWhy";
import { explain, type Explanation } from "./explanation";
import { RulesTable } from "./RulesTable";

type Result = { explanation: Explanation } | { problem: string } | undefined;

/** Says who answered a call, and why the others did not. */
export function Why({ entry, isLive }: { entry: Entry; isLive: boolean }) {
  return (
    <div class="why">
      <section>
        <h3>Who answered</h3>
        {answerers(entry).map((text) => <p class="answerer"><Name>{text}</Name></p>)}
        {isLive && hadSetFault(entry) && <p class="dim"><a href={withFilter("#/faults")}>Faults</a> lists those that are set now.</p>}
        {entry.error && <p class="dim">The call failed with {entry.error.code}.</p>}
      </section>
      {isLive ? <Explained entry={entry} /> : <p class="dim">Open the inspector of a running mynah to see why other rules did not answer.</p>}
    </div>
  );
}

function Explained({ entry }: { entry: Entry }) {
  const [result, setResult] = useState<Result>();
  const isReadable = typeof entry.request === "object" && entry.request !== null;
  useEffect(() => {
    let isCurrent = true;
    const show = (next: Result) => isCurrent && setResult(next);
    setResult(undefined);
    if (isReadable) explain(entry).then((explanation) => show({ explanation }), (error: Error) => show({ problem: error.message }));
    return () => {
      isCurrent = false;
    };
  }, [entry]);
  if (!isReadable) return <p class="dim">The request could not be decoded, so there is nothing to explain.</p>;
  if (!result) return <p class="dim" role="status">Asking mynah …</p>;
  if ("problem" in result) return <p class="problem" role="alert">✕ mynah cannot explain this request: <Name>{result.problem}</Name></p>;
  return <Explanation explanation={result.explanation} entry={entry} />;
}

function Explanation({ explanation, entry }: { explanation: Explanation; entry: Entry }) {
  const { chain, rules, echo, answered_by: now } = explanation;
  const then = entry.answered_by[0]?.rule;
  return (
    <>
      {now !== null && then !== undefined && now !== then && (
        <p class="hint">Rule <Name>{now}</Name> would answer this request now: rules, or their counts, have changed since.</p>
      )}
      {now !== null && hadSetFault(entry) && <p class="hint">Without the fault, rule <Name>{now}</Name> would answer.</p>}
      {now === null && then !== undefined && <p class="hint">No rule would answer this request now: rules, or their counts, have changed since.</p>}
      {chain && (
        <section>
          <h3>Instruction chain</h3>
          {chain.error ? <p class="problem">✕ <Name>{chain.error}</Name></p> : <p>Message {chain.message} has a chain; its step {chain.step} answers before all rules.</p>}
        </section>
      )}
      <section>
        <h3>Rules, nearest first</h3>
        {rules.length > 0 ? <RulesTable rules={rules} /> : <p class="dim">The session and the component have no rules.</p>}
      </section>
      {echo && <EchoWhy explanation={explanation} entry={entry} />}
    </>
  );
}
