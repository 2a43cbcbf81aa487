import { Conversation } from "../call/Conversation";
import { callLink } from "../route";
import type { Journal } from "../store/journal";
import { entryOf, type Row } from "../store/row";
import { Text } from "../text/Text";
import type { Result } from "./useSend";

/** Shows what mynah has answered: as a chat if the call is in the journal, otherwise as it arrived. */
export function ResultView({ result, call, journal }: { result: Result; call: Row | undefined; journal: Journal }) {
  if (result.state === "none") return <p class="dim">The answer appears here.</p>;
  if (result.state === "sending") return <p role="status">Waiting for the answer …</p>;
  if (result.state === "problem") return <p class="problem" role="alert">✕ {result.problem}</p>;
  const { status, body, problem } = result.sent;
  return (
    <div class="result">
      <p role="status">
        {problem ? <strong class="problem">✕ {status}</strong> : <span class="outcome ok">✓ {status}</span>}{" "}
        {call && <>· <a href={callLink(call.key)}>open call {call.number}</a> · <a href={callLink(call.key, "why")}>why this answer</a></>}
        {!call && journal.paused && <span class="dim">· paused: the call is in the list when you resume</span>}
      </p>
      {call ? <Conversation entry={entryOf(call)} origins={new Map()} /> : <Text text={body} code />}
    </div>
  );
}
