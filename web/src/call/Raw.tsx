import type { Entry } from "../entry";
import { CopyButton } from "../text/CopyButton";
import { Text } from "../text/Text";

const pretty = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? "");

/** Shows the request and the answer as JSON. */
export function Raw({ entry }: { entry: Entry }) {
  const answer = entry.response ?? entry.error;
  const { request: _request, response: _response, error: _error, ...rest } = entry;
  return (
    <div class="raw">
      {entry.request !== undefined && <Part title="Request" text={pretty(entry.request)} />}
      {answer && <Part title={entry.response ? "Answer" : "Error"} text={pretty(answer)} />}
      <Part title="Call" text={pretty(rest)} />
    </div>
  );
}

function Part({ title, text }: { title: string; text: string }) {
  return (
    <section>
      <div class="bar"><h3>{title}</h3><CopyButton text={() => text} label={`Copy ${title.toLowerCase()}`} /></div>
      <Text text={text} code limit={50_000} />
    </section>
  );
}
