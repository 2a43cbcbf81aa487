import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Entry } from "../entry";
import { readAnswer, readRequest, type Conversation as Read, type Message } from "../read";
import { callLink } from "../route";
import { entryOf, type Row } from "../store/row";
import { count, duration } from "../text/format";
import { Name, Text } from "../text/Text";
import { answerers, AnsweredBy } from "./AnsweredBy";
import { Content } from "./Content";
import { OfferedSchema, OfferedTools } from "./Offered";

/** The calls that made the earlier turns of the assistant, by the position of the message. */
export type Origins = Map<number, Row>;

/** Messages that are shown at first: the latest ones. */
const SHOWN = 60;

/** Shows a call as a chat: its history, then its answer. */
export function Conversation({ entry, origins }: { entry: Entry; origins: Origins }) {
  const request = readRequest(entry);
  return (
    <div class="chat">
      {request.tools.length > 0 && <OfferedTools tools={request.tools} />}
      {request.schema !== undefined && <OfferedSchema schema={request.schema} />}
      {request.unreadable !== undefined && <Turn role="request"><p class="problem">The body could not be decoded.</p><Text text={request.unreadable} code /></Turn>}
      <History request={request} origins={origins} />
      <AnswerTurn entry={entry} request={request} />
    </div>
  );
}

function Turn({ role, note, children }: { role: string; note?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section class={`turn r-${/^[a-z]+$/.test(role) ? role : "other"}`}>
      <div class="role"><Name>{role}</Name></div>
      <div class="body">{children}{note && <div class="note">{note}</div>}</div>
    </section>
  );
}

function History({ request, origins }: { request: Read; origins: Origins }) {
  const [all, setAll] = useState(false);
  const earlier = all ? 0 : Math.max(0, request.messages.length - SHOWN);
  return (
    <>
      {earlier > 0 && <button type="button" onClick={() => setAll(true)}>Show {count(earlier, "earlier message")}</button>}
      {request.messages.slice(earlier).map((message, index) => (
        <Past message={message} request={request} origin={origins.get(earlier + index)} />
      ))}
    </>
  );
}

function Past({ message, request, origin }: { message: Message; request: Read; origin: Row | undefined }) {
  const caller = message.toolId && callerOf(request.messages, message.toolId);
  const name = message.name ?? (caller || undefined);
  const note = origin && (
    <a class="by" href={callLink(origin.key)}>call {origin.number}, answered by {answerers(entryOf(origin)).join(", ")}</a>
  );
  return (
    <Turn role={message.role} note={note}>
      {(name || message.toolId) && (
        <div class="who">
          {message.toolId && <span aria-hidden="true">← </span>}{name && <strong><Name>{name}</Name></strong>}
          {message.toolId && <span class="dim"> <Name>{message.toolId}</Name></span>}
        </div>
      )}
      <Content message={message} tools={request.tools} />
    </Turn>
  );
}

/** Returns the name of the tool whose call a result belongs to. */
function callerOf(messages: Message[], id: string): string | undefined {
  return messages.flatMap((message) => message.calls).find((call) => call.id === id)?.name;
}

function AnswerTurn({ entry, request }: { entry: Entry; request: Read }) {
  const answer = readAnswer(entry);
  return (
    <Turn role="answer" note={<AnsweredBy entry={entry} />}>
      {entry.outcome === "cancelled" && <p>The client cancelled the call or disconnected.</p>}
      {entry.error && <ErrorBox entry={entry} />}
      {entry.response?.missing && <p class="problem">✕ a fault left out: {entry.response.missing}</p>}
      {answer && !entry.response?.missing && (
        <Content message={answer} tools={request.tools} schema={answer.calls.length > 0 ? undefined : request.schema} />
      )}
    </Turn>
  );
}

function ErrorBox({ entry }: { entry: Entry }) {
  const { code, message, retry_after_ms: retry } = entry.error as NonNullable<Entry["error"]>;
  return (
    <div class="error">
      <strong>✕ {code}</strong>{retry !== undefined && <span> · retry after {duration(retry)}</span>}
      <Text text={message} />
    </div>
  );
}
