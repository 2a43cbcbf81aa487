import { useState } from "preact/hooks";
import type { Journal } from "../store/journal";
import { Field, NameField, TextField } from "./Field";
import { buildRequest, EXAMPLE_TOOLS, NO_FIELDS } from "./request";
import { ResultView } from "./ResultView";
import { useComponents } from "./useComponents";
import { onSendKey, useSend } from "./useSend";

/** The session of calls from this page, so that they do not count in those of tests. */
export const OWN_SESSION = "inspector";
/** Names that are offered. */
const OFFERED = 100;

/** What was typed, for when the page comes back from a call. */
let typed = { component: "", session: OWN_SESSION, fields: NO_FIELDS };

/** Sends a message to a component. */
export function TryPage({ journal }: { journal: Journal }) {
  const components = useComponents();
  const [component, setComponent] = useState(typed.component);
  const [session, setSession] = useState(typed.session);
  const [fields, setFields] = useState(typed.fields);
  typed = { component, session, fields };
  const { result, call, submit } = useSend(journal);
  const set = (key: keyof typeof NO_FIELDS) => (value: string) => setFields({ ...fields, [key]: value });
  const target = component || components[0] || "echo";
  const onSubmit = (event: Event) => {
    event.preventDefault();
    void submit(() => ({ api: "alpha2", component: target, session, body: buildRequest(fields) }));
  };
  return (
    <main class="act-page">
      <form class="act-form" onSubmit={onSubmit} onKeyDown={onSendKey(onSubmit)} aria-label="Send a message">
        <h2>Try a message</h2>
        <div class="fields">
          <Field label="Component">
            <select value={target} onInput={(event) => setComponent(event.currentTarget.value)}>
              {(components.length > 0 ? components : [target]).map((name) => <option value={name}>{name}</option>)}
            </select>
          </Field>
          <NameField label="Session" value={session} names={journal.sessions.list(OFFERED)} onValue={setSession} />
        </div>
        <TextField label="Message" value={fields.message} rows={4} onValue={set("message")} />
        <TextField label="System prompt" hint="optional" value={fields.system} rows={2} onValue={set("system")} />
        <TextField label="Tools" hint="optional, a JSON list" value={fields.tools} rows={fields.tools ? 10 : 2} onValue={set("tools")} />
        {!fields.tools && <button type="button" class="quiet" onClick={() => set("tools")(EXAMPLE_TOOLS)}>Insert an example tool</button>}
        <TextField label="Schema of the answer" hint="optional, JSON" value={fields.schema} rows={2} onValue={set("schema")} />
        <p><button class="primary" disabled={result.state === "sending"}>Send <kbd>Ctrl+Enter</kbd></button></p>
      </form>
      <section class="act-result" aria-label="Answer"><ResultView result={result} call={call} journal={journal} /></section>
    </main>
  );
}
