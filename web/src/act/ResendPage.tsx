import { useState } from "preact/hooks";
import type { Entry } from "../entry";
import { isObject } from "../read/model";
import { callLink } from "../route";
import type { Journal } from "../store/journal";
import { entryOf, type Row } from "../store/row";
import { NameField, TextField } from "./Field";
import { ResultView } from "./ResultView";
import { pathOf } from "./sending";
import { useComponents } from "./useComponents";
import { onSendKey, useSend } from "./useSend";

/** Sends a call again, after changes. */
export function ResendPage({ journal, row }: { journal: Journal; row: Row }) {
  const entry = entryOf(row);
  const api = entry.api ?? "alpha2";
  const isDapr = api === "alpha1" || api === "alpha2";
  const components = useComponents();
  const [component, setComponent] = useState(row.component);
  const [session, setSession] = useState(row.session);
  const [body, setBody] = useState(() => requestText(entry));
  const { result, call, submit } = useSend(journal);
  const onSubmit = (event: Event) => {
    event.preventDefault();
    void submit(() => ({ api, component, session, body: checked(body) }));
  };
  return (
    <main class="act-page">
      <form class="act-form" onSubmit={onSubmit} onKeyDown={onSendKey(onSubmit)} aria-label="Resend">
        <h2>Resend <a href={callLink(row.key)}>call {row.number}</a> with changes</h2>
        <p class="dim mono">POST /{pathOf(api, component)}</p>
        <div class="fields">
          {isDapr && <NameField label="Component" value={component} names={components} onValue={setComponent} />}
          <NameField label="Session" value={session} names={journal.sessions.list(100)} onValue={setSession} />
        </div>
        <TextField label="Request" hint="as JSON; secrets and media were removed" value={body} rows={24} onValue={setBody} />
        <p><button class="primary" disabled={result.state === "sending"}>Send <kbd>Ctrl+Enter</kbd></button></p>
      </form>
      <section class="act-result" aria-label="Answer"><ResultView result={result} call={call} journal={journal} /></section>
    </main>
  );
}

/** Returns the request. One that continues a response has the whole history, which must not be added again. */
function requestText({ api, component, request }: Entry): string {
  if (typeof request === "string") return request;
  if (api !== "responses" || component === "" || !isObject(request)) return JSON.stringify(request, null, 2);
  const { previous_response_id: _previous, ...whole } = request;
  return JSON.stringify(whole, null, 2);
}

/** Throws if a text is not JSON, before mynah does. */
function checked(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch (error) {
    throw new Error(`The request is not JSON: ${(error as Error).message}`);
  }
}
