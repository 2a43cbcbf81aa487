import { callLink, sessionLink } from "../route";
import type { Row } from "../store/row";
import { clip, count, duration, shortArguments } from "../text/format";
import { Name } from "../text/Text";
import { OutcomeMark } from "../list/OutcomeMark";
import type { Turn } from "./threads";
import { MAX_STEPS, stepsOf, type Step, type ToolRun } from "./steps";

/** Shows the calls of a thread in time: turns, tool calls, retries and the time outside. */
export function Waterfall({ turn, open }: { turn: Turn | undefined; open: Row }) {
  if (!turn) return <p class="dim">This call has no history.</p>;
  const steps = stepsOf(turn.thread);
  const total = Math.max(...steps.map((step) => step.end));
  const hasOwnTools = steps.some((step) => step.toolsEnd !== undefined && !step.toolsAreOutside);
  return (
    <div class="thread">
      <Summary turn={turn} steps={steps} total={total} />
      <div class="waterfall" role="list" aria-label="Turns">
        {steps.map((step, index) => <StepLines step={step} before={steps[index - 1]} after={steps[index + 1]} number={index + 1} total={total} isOpen={step.turn.row === open} />)}
      </div>
      <p class="legend dim"><i class="bar-model" /> mynah answers <i class="bar-failed" /> fails {hasOwnTools && <><i class="bar-tool" /> a tool, at most</>} <i class="bar-outside" /> outside: tools and application</p>
    </div>
  );
}

function Summary({ turn, steps, total }: { turn: Turn; steps: Step[]; total: number }) {
  const inside = steps.reduce((sum, step) => sum + step.turn.row.duration, 0);
  const outside = steps.reduce((sum, step) => sum + (step.outside ?? 0), 0);
  const retries = turn.thread.filter((other) => other.isRetry).length;
  const tools = steps.reduce((sum, step) => sum + step.tools.length, 0);
  const facts = [count(turn.thread.length, "call"), count(tools, "tool call"), count(retries, "retry", "retries")];
  return (
    <>
      <p>
        Session <a href={sessionLink(turn.row.session)}><Name>{turn.row.session}</Name></a> · {facts.join(" · ")} · {duration(total)} in all: {duration(inside)} in mynah, <strong>{duration(outside)} outside</strong>
      </p>
      {turn.thread.length === 1 && <p class="dim">No other call of this session extends this history or is extended by it.</p>}
      {turn.thread.length > MAX_STEPS && <p class="dim">The latest {MAX_STEPS} calls are shown.</p>}
    </>
  );
}

const percent = (value: number, total: number): string => `${((100 * value) / (total || 1)).toFixed(3)}%`;

interface BarProps {
  kind: string;
  from: number;
  to: number;
  total: number;
}

function Bar({ kind, from, to, total }: BarProps) {
  const style = { left: percent(from, total), width: percent(to - from, total) };
  return <span class="track" aria-hidden="true"><i class={`bar-${kind}`} style={style} /></span>;
}

interface StepProps {
  step: Step;
  before: Step | undefined;
  after: Step | undefined;
  number: number;
  total: number;
  isOpen: boolean;
}

function StepLines({ step, before, after, number, total, isOpen }: StepProps) {
  const { row, isRetry } = step.turn;
  const kind = row.outcome === "ok" ? "model" : "failed";
  const to = step.toolsAreOutside ? step.end : step.toolsEnd ?? step.end;
  return (
    <>
      {!before?.toolsAreOutside && <Gap step={step} label="outside" total={total} />}
      <div role="listitem" class={`w-line${isOpen ? " current" : ""}`}>
        <span class="w-label">
          <a href={callLink(row.key, "thread")} aria-current={isOpen ? "true" : undefined}>{number}. call {row.number}</a>{" "}
          <OutcomeMark outcome={row.outcome} />{isRetry && <strong class="retry"> ↻ retry</strong>}
          <span class="w-text"> <Name>{step.tools.length > 0 ? count(step.tools.length, "tool call") : row.answer}</Name></span>
        </span>
        <Bar kind={kind} from={step.start} to={step.end} total={total} />
        <span class="w-time">{duration(row.duration)}</span>
      </div>
      {step.toolsAreOutside && after && <Gap step={after} label="outside, with these tools:" total={total} />}
      {step.tools.map((tool) => <ToolLine tool={tool} from={step.end} to={to} total={total} />)}
    </>
  );
}

/** Shows the time outside before a step. */
function Gap({ step, label, total }: { step: Step; label: string; total: number }) {
  if (!step.outside) return null;
  return (
    <div role="listitem" class="w-line w-gap">
      <span class="w-label dim">{label}</span>
      <Bar kind="outside" from={step.start - step.outside} to={step.start} total={total} />
      <span class="w-time dim">{duration(step.outside)}</span>
    </div>
  );
}

function ToolLine({ tool, from, to, total }: { tool: ToolRun; from: number; to: number; total: number }) {
  return (
    <div role="listitem" class="w-line w-tool">
      <span class="w-label">
        <span aria-hidden="true">→ </span><strong><Name>{tool.call.name}</Name></strong>(<Name>{clip(shortArguments(tool.call.args), 120)}</Name>)
        {tool.result !== undefined && <span class="dim"> <span aria-hidden="true">←</span> <Name>{clip(tool.result, 120)}</Name></span>}
      </span>
      {to > from ? <Bar kind="tool" from={from} to={to} total={total} /> : <span class="track" aria-hidden="true" />}
      <span class="w-time dim">{to > from ? `≤ ${duration(to - from)}` : ""}</span>
    </div>
  );
}
