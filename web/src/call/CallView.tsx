import type { Ref } from "preact";
import { callLink, type Tab } from "../route";
import type { Journal } from "../store/journal";
import { entryOf, type Row } from "../store/row";
import { OutcomeMark } from "../list/OutcomeMark";
import { Name } from "../text/Text";
import { Conversation } from "./Conversation";
import { Facts } from "./Facts";
import { Raw } from "./Raw";

interface Props {
  row: Row;
  tab: Tab;
  journal: Journal;
  isLive: boolean;
  onCopy: () => void;
  title: Ref<HTMLHeadingElement>;
}

const TABS: [Tab, string][] = [["chat", "Conversation"], ["why", "Why"], ["thread", "Thread"], ["raw", "Raw"]];

export function CallView({ row, tab, isLive, onCopy, title }: Props) {
  const entry = entryOf(row);
  return (
    <article class="call" aria-label={`Call ${row.number}`}>
      <header>
        <a class="button close" href="#/" aria-label="Close the call (Esc)">✕</a>
        <h2 ref={title} tabIndex={-1}>Call {row.number}</h2>
        <OutcomeMark outcome={row.outcome} />
        <span class="dim"><Name>{row.component}</Name></span>
        <span class="space" />
        {isLive && entry.request !== undefined && <a class="button" href={`#/try/${row.key}`}>Change and resend</a>}
        <button type="button" onClick={onCopy}>Copy as… <kbd>c</kbd></button>
      </header>
      <nav class="tabs" aria-label="Call">
        {TABS.map(([id, label]) => (
          <a href={callLink(row.key, id)} aria-current={id === tab ? "page" : undefined}>{label}</a>
        ))}
      </nav>
      <div class="content" tabIndex={0} role="region" aria-label={TABS.find(([id]) => id === tab)?.[1]}>
        {tab === "chat" && <><Facts entry={entry} /><Conversation entry={entry} origins={new Map()} /></>}
        {tab === "raw" && <Raw entry={entry} />}
      </div>
    </article>
  );
}
