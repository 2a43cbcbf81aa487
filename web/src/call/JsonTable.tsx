import { useState } from "preact/hooks";
import { lines, type Line } from "./json";
import { Name, Text } from "../text/Text";

/** Lines that are shown at first. */
const SHOWN = 200;

/** Shows a JSON value as a tree, beside its schema if there is one. */
export function JsonTable({ value, schema, label }: { value: unknown; schema?: unknown; label: string }) {
  return <LinesTable found={lines(value, schema)} hasSchema={schema !== undefined} label={label} />;
}

export function LinesTable({ found, hasSchema, label }: { found: Line[]; hasSchema: boolean; label: string }) {
  const [all, setAll] = useState(false);
  return (
    <>
      <table class="tree" aria-label={label}>
        <thead>
          <tr><th scope="col">name</th><th scope="col">value</th>{hasSchema && <th scope="col">schema</th>}</tr>
        </thead>
        <tbody>{(all ? found : found.slice(0, SHOWN)).map((line) => <TreeLine line={line} hasSchema={hasSchema} />)}</tbody>
      </table>
      {!all && found.length > SHOWN && (
        <button type="button" class="more" onClick={() => setAll(true)}>Show all {found.length} lines</button>
      )}
    </>
  );
}

function TreeLine({ line, hasSchema }: { line: Line; hasSchema: boolean }) {
  return (
    <tr>
      <th scope="row" style={{ paddingInlineStart: `${8 + Math.min(line.depth, 12) * 14}px` }}><Name>{line.name}</Name></th>
      <td class="value">{line.value !== undefined && <Text text={line.value} limit={2000} />}</td>
      {hasSchema && (
        <td class="schema">
          <Name>{line.expected}</Name>
          {line.problem && <strong class="problem"> ✕ {line.problem}</strong>}
          {line.description && <span class="description"> <Name>{line.description}</Name></span>}
        </td>
      )}
    </tr>
  );
}
