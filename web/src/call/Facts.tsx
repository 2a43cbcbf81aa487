import type { Entry } from "../entry";
import { readRequest } from "../read";
import { sessionLink } from "../route";
import { clock, duration } from "../text/format";
import { Name } from "../text/Text";
import { CopyButton } from "../text/CopyButton";

/** Shows what is known of a call in addition to its texts. */
export function Facts({ entry }: { entry: Entry }) {
  const usage = entry.response?.usage;
  const facts: [string, string | undefined][] = [
    ["time", clock(entry.time)],
    ["duration", duration(entry.duration_ms)],
    ["component", entry.component || "(none)"],
    ["surface", [...new Set([entry.surface, entry.api, entry.stream ? "stream" : ""])].filter(Boolean).join(", ")],
    ["tokens", usage && `${usage.prompt_tokens} + ${usage.completion_tokens} = ${usage.total_tokens}`],
    ["reasoning", usage?.reasoning_tokens?.toString()],
    ["cached", usage?.cached_tokens?.toString()],
    ["finish reason", entry.response?.finish_reason],
    ["answered as", entry.response?.model],
    ...readRequest(entry).settings,
  ];
  return (
    <dl class="facts">
      <div><dt>session</dt><dd><a href={sessionLink(entry.session)} title="Show the calls of this session"><Name>{entry.session}</Name></a></dd></div>
      {facts.map(([name, value]) => value !== undefined && value !== "" && <div><dt>{name}</dt><dd><Name>{value.slice(0, 300)}</Name></dd></div>)}
      {entry.trace && (
        <div><dt>trace</dt><dd class="mono"><Name>{entry.trace.trace_id}</Name> <CopyButton text={() => entry.trace?.trace_id ?? ""} label="Copy trace id" /></dd></div>
      )}
    </dl>
  );
}
