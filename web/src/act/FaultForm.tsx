import { useState } from "preact/hooks";
import type { Journal } from "../store/journal";
import { Field, NameField, TextField } from "./Field";
import { PRESETS, type Target } from "./faults";
import { useComponents } from "./useComponents";

const text = (fault: object): string => JSON.stringify(fault, null, 2);
const FIRST = text(PRESETS[0]?.[1] ?? {});

export function FaultForm({ journal, onSet }: { journal: Journal; onSet: (target: Target) => Promise<void> }) {
  const components = useComponents();
  const [component, setComponent] = useState("");
  const [session, setSession] = useState("");
  const [fault, setFault] = useState(FIRST);
  const [problem, setProblem] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    try {
      const value = JSON.parse(fault) as unknown;
      setProblem("");
      const names = { component: component || undefined, session: session || undefined };
      void onSet({ ...names, faults: Array.isArray(value) ? value : [value] });
    } catch (error) {
      setProblem(`The fault is not JSON: ${(error as Error).message}`);
    }
  };
  return (
    <form onSubmit={submit} class="stack" aria-label="Set a fault">
      <h2>Set a fault</h2>
      <div class="fields">
        <NameField label="Component" hint="empty for all" value={component} names={components} onValue={setComponent} />
        <NameField label="Session" hint="empty for all" value={session} names={journal.sessions.list(100)} onValue={setSession} />
      </div>
      <Field label="Kind">
        <select onInput={(event) => setFault(text(PRESETS[Number(event.currentTarget.value)]?.[1] ?? {}))}>
          {PRESETS.map(([label], index) => <option value={index}>{label}</option>)}
        </select>
      </Field>
      <TextField label="Fault" hint="JSON, or a list of faults" value={fault} rows={9} onValue={setFault} />
      {problem && <p class="problem" role="alert">✕ {problem}</p>}
      <p><button class="primary">Set</button> <span class="dim">Replaces the faults of this component and session.</span></p>
    </form>
  );
}
