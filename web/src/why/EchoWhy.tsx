import type { Entry } from "../entry";
import { readRequest, textOf } from "../read";
import { Name, Pieces } from "../text/Text";
import type { ExplainedArgument, ExplainedTool, Explanation } from "./explanation";
import { highlight, wantedWords } from "./words";

const MAX_TEXT = 20_000;

/** Says which words made echo call which tool, and where each argument comes from. */
export function EchoWhy({ explanation, entry }: { explanation: Explanation; entry: Entry }) {
  const tools = explanation.echo?.tools ?? [];
  const last = readRequest(entry).messages.findLast((message) => message.role === "user");
  const text = last ? textOf(last).slice(0, MAX_TEXT) : "";
  return (
    <section>
      <h3>Echo</h3>
      {tools.length === 0 && <p class="dim">The request offers no tools, so echo answers with the text.</p>}
      {tools.length > 0 && (
        <div class="text said" dir="auto">
          {highlight(text, wantedWords(explanation)).map((part) =>
            part.kind ? <mark class={part.kind}><Pieces text={part.text} /><sub><Name>{part.of}</Name></sub></mark> : <Pieces text={part.text} />,
          )}
        </div>
      )}
      {tools.map((tool) => <ToolWhy tool={tool} />)}
    </section>
  );
}

function ToolWhy({ tool }: { tool: ExplainedTool }) {
  if (tool.calls.length === 0) {
    return <p><span aria-hidden="true">✕ </span><strong><Name>{tool.tool}</Name></strong> is not called{tool.reason && <>: <Name>{tool.reason}</Name></>}</p>;
  }
  return (
    <>
      {tool.calls.map((call) => (
        <div class="echo-call">
          <p>
            <span class="outcome ok" aria-hidden="true">✓ </span><strong><Name>{tool.tool}</Name></strong> is called:{" "}
            {call.words.length > 0 && <q><Name>{call.words.join(" ")}</Name></q>} <span class="dim">({call.rule})</span>
          </p>
          {call.arguments.length > 0 && <Arguments of={tool.tool} found={call.arguments} />}
          {call.left_out.length > 0 && <p class="dim">Optional, left out: <Name>{call.left_out.join(", ")}</Name></p>}
        </div>
      ))}
    </>
  );
}

function Arguments({ of, found }: { of: string; found: ExplainedArgument[] }) {
  return (
    <table class="tree" aria-label={`Arguments of ${of}`}>
      <thead><tr><th scope="col">argument</th><th scope="col">value</th><th scope="col">comes from</th></tr></thead>
      <tbody>
        {found.map((argument) => (
          <tr>
            <th scope="row"><Name>{argument.name}</Name></th>
            <td class="value"><Name>{JSON.stringify(argument.value).slice(0, 500)}</Name></td>
            <td>{argument.words && <><q><Name>{argument.words}</Name></q>{" "}</>}<span class="dim">({argument.rule ?? argument.source})</span></td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
