// What a waterfall draws: the time of calls, and the time of the application between them.
import { readAnswer, readRequest, textOf, type Call, type Message } from "../read";
import { entryOf } from "../store/row";
import type { Turn } from "./threads";

/** A tool call, with the result that the next call has sent. */
export interface ToolRun {
  call: Call;
  result: string | undefined;
}

export interface Step {
  turn: Turn;
  /** When it begins and ends, in milliseconds since the first call. */
  start: number;
  end: number;
  /** Time since the call before it has ended, in which the application was at work. */
  outside: number | undefined;
  tools: ToolRun[];
  /** Whether the tools have the same time as what is outside before the next call. */
  toolsAreOutside: boolean;
  /** When the next call of the thread begins, if the tools ran until then. */
  toolsEnd: number | undefined;
}

/** Calls that are drawn; a longer thread shows its latest ones. */
export const MAX_STEPS = 150;

export function stepsOf(thread: Turn[]): Step[] {
  const shown = thread.slice(-MAX_STEPS);
  const origin = shown[0]?.row.start ?? 0;
  let ended: number | undefined;
  const steps = shown.map((turn) => {
    const start = turn.row.start - origin;
    const end = start + turn.row.duration;
    const outside = ended === undefined ? undefined : Math.max(0, start - ended);
    ended = Math.max(ended ?? 0, end);
    return { turn, start, end, outside, toolsAreOutside: false, ...toolsOf(turn, shown, origin) };
  });
  steps.forEach((step, index) => (step.toolsAreOutside = fillsGap(step, steps[index + 1])));
  return steps;
}

/** Whether tools run from the end of a step to the next one, and nothing else is outside. */
function fillsGap({ end, tools, toolsEnd }: Step, next: Step | undefined): boolean {
  if (tools.length === 0 || !next?.outside || toolsEnd !== next.start) return false;
  return Math.abs(next.start - next.outside - end) < 0.001;
}

function toolsOf(turn: Turn, shown: Turn[], origin: number): Pick<Step, "tools" | "toolsEnd"> {
  const calls = readAnswer(entryOf(turn.row))?.calls ?? [];
  if (calls.length === 0) return { tools: [], toolsEnd: undefined };
  const next = shown.find((other) => other.parent === turn);
  const messages = next ? readRequest(entryOf(next.row)).messages : [];
  const tools = calls.map((call) => ({ call, result: resultOf(messages, call) }));
  return { tools, toolsEnd: next && next.row.start - origin };
}

/** Results have the id of their call; those of clients without ids have the name of the tool. */
function resultOf(messages: Message[], call: Call): string | undefined {
  const results = messages.filter((message) => message.role === "tool");
  const own = results.findLast((message) => (call.id ? message.toolId === call.id : message.name === call.name));
  return own && textOf(own);
}
