import { useState } from "preact/hooks";
import type { Tool } from "../read";
import { clip, count } from "../text/format";
import { Lazy } from "../text/Lazy";
import { Name, Text } from "../text/Text";
import { schemaLines } from "./json";
import { LinesTable } from "./JsonTable";

/** Tools that are shown at first. */
const SHOWN = 50;

export function OfferedTools({ tools }: { tools: Tool[] }) {
  const names = clip(tools.map((tool) => tool.name).join(", "), 200);
  return (
    <Lazy name="offered" summary={<>{count(tools.length, "tool")} offered: <Name>{names}</Name></>}>
      {() => <ToolList tools={tools} />}
    </Lazy>
  );
}

function ToolList({ tools }: { tools: Tool[] }) {
  const [all, setAll] = useState(false);
  return (
    <>
      {(all ? tools : tools.slice(0, SHOWN)).map((tool) => (
        <div class="tool">
          <strong><Name>{tool.name}</Name></strong>
          {tool.description && <Text text={tool.description} limit={1000} />}
          {tool.parameters !== undefined && <LinesTable found={schemaLines(tool.parameters)} hasSchema label={`Parameters of ${tool.name}`} />}
        </div>
      ))}
      {!all && tools.length > SHOWN && <button type="button" onClick={() => setAll(true)}>Show all {tools.length} tools</button>}
    </>
  );
}

export function OfferedSchema({ schema }: { schema: unknown }) {
  return (
    <Lazy name="offered" summary="The request has a schema for the answer">
      {() => <Text text={JSON.stringify(schema, null, 2)} code />}
    </Lazy>
  );
}
