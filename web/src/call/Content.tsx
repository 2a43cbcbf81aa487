import type { Call, Message, Tool } from "../read";
import { Name, Text } from "../text/Text";
import { JsonTable } from "./JsonTable";

/** Returns the value of a JSON text that is an object or a list. */
export function parseJson(text: string): { value: unknown } | undefined {
  if (!/^\s*[[{]/.test(text) || text.length > 1_000_000) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Shows a tool call, with its arguments beside the schema of the tool. */
export function ToolCall({ call, tools }: { call: Call; tools: Tool[] }) {
  const tool = tools.find((known) => known.name === call.name);
  const parsed = parseJson(call.args || "{}");
  return (
    <div class="tool-call">
      <div class="tool-title">
        <span aria-hidden="true">→</span> calls <strong><Name>{call.name}</Name></strong>
        {tools.length > 0 && !tool && <span class="problem"> ✕ not offered</span>}
        {call.id && <span class="dim"> <Name>{call.id}</Name></span>}
      </div>
      {parsed ? <JsonTable value={parsed.value} schema={tool?.parameters} label={`Arguments of ${call.name}`} /> : (
        <div class="invalid"><span class="problem">✕ arguments are not a JSON object</span><Text text={call.args} code /></div>
      )}
    </div>
  );
}

/** Shows what a message says: its texts, its media and its calls. */
export function Content({ message, tools, schema }: { message: Message; tools: Tool[]; schema?: unknown }) {
  return (
    <>
      {message.reasoning && <details class="reasoning"><summary>reasoning</summary><Text text={message.reasoning} /></details>}
      {message.parts.map((part) =>
        "media" in part ? <div class="media">[<Name>{part.media}</Name>]</div> : <TextPart text={part.text} schema={schema} tree={message.role === "tool" || schema !== undefined} />,
      )}
      {message.calls.map((call) => <ToolCall call={call} tools={tools} />)}
      {message.parts.length + message.calls.length === 0 && <div class="dim">(empty)</div>}
    </>
  );
}

function TextPart({ text, schema, tree }: { text: string; schema?: unknown; tree: boolean }) {
  const parsed = tree ? parseJson(text) : undefined;
  if (parsed) return <JsonTable value={parsed.value} schema={schema} label="Content" />;
  return (
    <>
      {schema !== undefined && <div class="problem">✕ not the JSON that the request asks for</div>}
      <Text text={text} />
    </>
  );
}
