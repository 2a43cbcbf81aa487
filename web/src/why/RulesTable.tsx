import { useState } from "preact/hooks";
import { count } from "../text/format";
import { Name, Text } from "../text/Text";
import { nearestFirst, type ExplainedRule, type Mismatch } from "./explanation";

/** Rules that are shown at first. */
const SHOWN = 50;

export function RulesTable({ rules }: { rules: ExplainedRule[] }) {
  const [all, setAll] = useState(false);
  const sorted = nearestFirst(rules);
  return (
    <>
      <div class="table-box" tabIndex={0} role="region" aria-label="Rules">
        <table class="rules">
          <thead><tr><th scope="col">rule</th><th scope="col">verdict</th></tr></thead>
          <tbody>{(all ? sorted : sorted.slice(0, SHOWN)).map((rule) => <RuleLine rule={rule} />)}</tbody>
        </table>
      </div>
      {!all && sorted.length > SHOWN && (
        <button type="button" class="more" onClick={() => setAll(true)}>Show all {sorted.length} rules</button>
      )}
    </>
  );
}

function RuleLine({ rule }: { rule: ExplainedRule }) {
  const captures = Object.entries(rule.captures ?? {});
  const place = rule.place ?? rule.file;
  return (
    <tr class={rule.answers ? "answers" : ""}>
      <th scope="row"><strong><Name>{rule.rule}</Name></strong>{place && <div class="dim mono"><Name>{place}</Name></div>}</th>
      <td>
        {rule.answers && <span class="outcome ok">✓ answers</span>}
        {!rule.answers && rule.matches && <span class="outcome cancelled">≈ matches, but an earlier rule or chain answers, or it has answered as often as its times allows</span>}
        {!rule.matches && <div class="dim">{rule.held} of {count(rule.conditions, "condition")} {rule.conditions === 1 ? "holds" : "hold"}</div>}
        {rule.mismatches.map((mismatch) => <Unmet mismatch={mismatch} />)}
        {rule.uses > 0 && <div class="dim">answered {count(rule.uses, "time")} in this session</div>}
        {captures.length > 0 && (
          <dl class="captures" aria-label="Captures">
            {captures.map(([name, text]) => <div><dt class="mono"><Name>{name}</Name></dt><dd><Text text={text} limit={1000} /></dd></div>)}
          </dl>
        )}
      </td>
    </tr>
  );
}

function Unmet({ mismatch }: { mismatch: Mismatch }) {
  return (
    <div class="unmet">
      <span class="problem" aria-hidden="true">✕ </span><strong><Name>{mismatch.condition}</Name></strong>: expects <Name>{mismatch.expected}</Name>,{" "}
      {mismatch.seen === null ? "has nothing" : <>has <Text text={mismatch.seen} limit={200} /></>}
    </div>
  );
}
