import type { Ref } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Entry } from "../entry";
import { callLink, withFilter, type Tab } from "../route";
import type { Journal } from "../store/journal";
import { entryOf, type Row } from "../store/row";
import { OutcomeMark } from "../list/OutcomeMark";
import { Name } from "../text/Text";
import { Conversation } from "./Conversation";
import { Facts } from "./Facts";
import { Raw } from "./Raw";
import { originsOf, turnOf, type Turn } from "../thread/threads";
import { Waterfall } from "../thread/Waterfall";
import { Why } from "../why/Why";

interface Props {
  row: Row;
  tab: Tab;
  journal: Journal;
  isLive: boolean;
  onCopy: () => void;
  title: Ref<HTMLHeadingElement>;
}

const TABS: [Tab, string][] = [["chat", "Conversation"], ["why", "Why"], ["thread", "Thread"], ["raw", "Raw"]];

export function CallView({ row, tab, journal, isLive, onCopy, title }: Props) {
  const entry = useMemo(() => entryOf(row), [row]);
  const turn = useTurn(journal, row);
  const content = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => content.current?.scrollTo(0, 0), [row, tab]);
  // Drawn again only if it changes, not whenever calls arrive.
  const body = useMemo(() => <Body key={row.key} entry={entry} row={row} tab={tab} turn={turn} isLive={isLive} />, [row, tab, turn, isLive, withFilter("")]);
  return (
    <article class="call" aria-label={`Call ${row.number}`}>
      <header>
        <a class="button close" href={withFilter("#/")} aria-label="Close the call (Esc)">✕</a>
        <h2 ref={title} tabIndex={-1}>Call {row.number}</h2>
        <OutcomeMark outcome={row.outcome} />
        <span class="dim"><Name>{row.component}</Name></span>
        <span class="space" />
        {isLive && entry.request !== undefined && <a class="button" href={withFilter(`#/try/${row.key}`)}>Resend<span class="optional"> with changes</span></a>}
        <button type="button" onClick={onCopy}>Copy as… <kbd>c</kbd></button>
      </header>
      <nav class="tabs" aria-label="Call">
        {TABS.map(([id, label]) => (
          <a href={callLink(row.key, id)} aria-current={id === tab ? "page" : undefined}>{label}</a>
        ))}
      </nav>
      <div class="content" tabIndex={0} role="region" aria-label={TABS.find(([id]) => id === tab)?.[1]} ref={content}>
        {body}
      </div>
    </article>
  );
}

interface BodyProps {
  entry: Entry;
  row: Row;
  tab: Tab;
  turn: Turn | undefined;
  isLive: boolean;
}

function Body({ entry, row, tab, turn, isLive }: BodyProps) {
  if (tab === "why") return <Why entry={entry} isLive={isLive} />;
  if (tab === "thread") return <Waterfall turn={turn} open={row} />;
  if (tab === "raw") return <Raw entry={entry} />;
  return <><Facts entry={entry} /><Conversation entry={entry} origins={originsOf(turn)} /></>;
}

/** Finds the thread of a call again when its session may have more calls. */
function useTurn(journal: Journal, row: Row) {
  return useMemo(() => turnOf(journal.items, row), [journal.sessions.count(row.session), row]);
}
