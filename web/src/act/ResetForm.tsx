import { useState } from "preact/hooks";
import type { Journal } from "../store/journal";
import { NameField } from "./Field";
import { resetSession } from "./faults";

/** Resets a session, after a question. */
export function ResetForm({ journal, onDone }: { journal: Journal; onDone: () => void }) {
  const [session, setSession] = useState("");
  const [asks, setAsks] = useState(false);
  const [message, setMessage] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    if (!asks) return setAsks(true);
    setAsks(false);
    resetSession(session).then(
      () => {
        journal.remove(session);
        setMessage(`✓ Session ${session} is reset.`);
        onDone();
      },
      (error: Error) => setMessage(`✕ ${error.message}`),
    );
  };
  const change = (value: string) => {
    setSession(value);
    setAsks(false);
  };
  return (
    <form onSubmit={submit} class="stack" aria-label="Reset">
      <h2>Reset a session</h2>
      <p class="dim">Removes its calls, rules and faults, and starts its counters again.</p>
      <NameField label="Session to reset" value={session} names={journal.sessions.list(100)} onValue={change} />
      <p>
        <button disabled={session === ""}>{asks ? "Reset now" : "Reset …"}</button>{" "}
        {asks && <button type="button" onClick={() => setAsks(false)}>Keep it</button>} <span role="status">{message}</span>
      </p>
    </form>
  );
}
