import type { RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { FaultsNotice } from "./act/FaultsNotice";
import { CallView } from "./call/CallView";
import { CopyMenu } from "./call/CopyMenu";
import { NoCalls, NoMatch, Notice } from "./Empty";
import { useKeys } from "./keys";
import { CallList } from "./list/CallList";
import { Filters } from "./list/Filters";
import { positionOf } from "./list/window";
import type { Connection } from "./live/connection";
import { callLink, go, withFilter, type Route, type Tab } from "./route";
import { NO_FILTER, select, type Filter } from "./store/filter";
import type { Journal } from "./store/journal";
import type { Item, Row } from "./store/row";

interface Props {
  route: Route & { view: "calls" | "call" };
  journal: Journal;
  connection: Connection | undefined;
  filter: Filter;
  onFilter: (filter: Filter) => void;
}

/** The list of calls, and the call that is open. */
export function CallsPage({ route, journal, connection, filter, onFilter }: Props) {
  const [cursor, setCursor] = useState<number>();
  const [copying, setCopying] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const items = useMemo(() => select(journal.items, filter), [journal.items, filter]);
  const hidden = items.length === 0 ? callsIn(journal.items) : 0;
  const opened = route.view === "call" ? journal.find(route.key) : undefined;
  const tab = route.view === "call" ? route.tab : "chat";
  const current = opened ?? rowAt(items, cursor);
  const show = (row: Row, replace = false, at: Tab = tab) => {
    setCursor(row.seq);
    go(callLink(row.key, at), replace);
  };
  const move = (step: number) => {
    const row = neighbour(items, opened?.seq ?? cursor, step);
    if (row && opened) show(row, true);
    else if (row) focusList();
    if (row) setCursor(row.seq);
  };
  useFocus(opened !== undefined, title);
  const toTab = (at: Tab) => () => opened && show(opened, true, at);
  useKeys({
    j: () => move(1),
    ArrowDown: () => move(1),
    k: () => move(-1),
    ArrowUp: () => move(-1),
    Enter: () => current && show(current),
    Escape: () => (route.view === "call" ? go(withFilter("#/")) : onFilter(NO_FILTER)),
    "/": () => search.current?.focus(),
    c: () => current && setCopying(true),
    1: toTab("chat"),
    2: toTab("why"),
    3: toTab("thread"),
    4: toTab("raw"),
  });
  return (
    <main class={`calls-page${route.view === "call" ? " split" : ""}`}>
      <section class="list-pane" aria-label="List of calls">
        <Filters journal={journal} filter={filter} onFilter={onFilter} search={search} shown={callsIn(items)} />
        {connection && <FaultsNotice faults={connection.faults} />}
        {items.length > 0 && <CallList items={items} cursor={opened?.seq ?? cursor} openKey={opened?.key} onOpen={show} />}
        {items.length === 0 && (hidden > 0 ? <NoMatch calls={hidden} onClear={() => onFilter(NO_FILTER)} /> : <NoCalls connection={connection} />)}
      </section>
      {opened && <CallView row={opened} tab={tab} journal={journal} isLive={connection !== undefined} onCopy={() => setCopying(true)} title={title} />}
      {route.view === "call" && !opened && <Gone number={route.key} />}
      {copying && current && <CopyMenu row={current} isLive={connection !== undefined} onClose={() => setCopying(false)} />}
    </main>
  );
}

const focusList = (): void => document.querySelector<HTMLElement>(".calls")?.focus({ preventScroll: true });

/** Moves the focus to a call when it opens, and back to the list when it closes. */
function useFocus(isOpen: boolean, title: RefObject<HTMLElement | null>): void {
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (isOpen) title.current?.focus({ preventScroll: true });
    else if (wasOpen.current) focusList();
    wasOpen.current = isOpen;
  }, [isOpen]);
}

function Gone({ number }: { number: string }) {
  return (
    <Notice title={`Call ${number} is not here`}>
      <p>It has not arrived yet, or there was no room to keep it.</p>
      <p><a href={withFilter("#/")}>Show all calls</a></p>
    </Notice>
  );
}

const callsIn = (items: Item[]): number => items.filter((item) => item.kind === "call").length;

function rowAt(items: Item[], seq: number | undefined): Row | undefined {
  if (seq === undefined) return undefined;
  const item = items[items.length - 1 - positionOf(items, seq)];
  return item?.kind === "call" ? item : undefined;
}

/** Returns the next call in the list, which starts with the newest. */
function neighbour(items: Item[], seq: number | undefined, step: number): Row | undefined {
  let index = seq === undefined ? (step > 0 ? items.length : -1) : items.length - 1 - positionOf(items, seq);
  for (index -= step; index >= 0 && index < items.length; index -= step) {
    const item = items[index] as Item;
    if (item.kind === "call") return item;
  }
  return undefined;
}
