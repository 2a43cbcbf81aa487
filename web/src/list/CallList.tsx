import { useEffect } from "preact/hooks";
import type { Item, Row } from "../store/row";
import { ListRow, rowId } from "./ListRow";
import { positionOf, useWindow } from "./window";

interface Props {
  /** The calls, oldest first; shown newest first. */
  items: Item[];
  /** The row that the keys j and k move. */
  cursor: number | undefined;
  openKey: string | undefined;
  onOpen: (row: Row) => void;
}

const COLUMNS = ["time", "session", "component", "surface", "words", "answer", "duration", "tokens", "outcome"];
const TITLES: Record<string, string> = { words: "last user words", answer: "answer or calls" };

export function CallList({ items, cursor, openKey, onOpen }: Props) {
  const { box, rowHeight, first, last, onScroll, height } = useWindow(items);
  useEffect(() => {
    if (cursor === undefined || !box.current) return;
    reveal(box.current, positionOf(items, cursor) * rowHeight, rowHeight, height);
    // Only a move of the cursor scrolls, not a new call.
  }, [cursor, rowHeight]);
  const shown = [];
  for (let index = first; index < last; index++) {
    const item = items[items.length - 1 - index] as Item;
    const open = item.kind === "call" && item.key === openKey;
    shown.push(
      <ListRow
        key={item.seq} item={item} position={index + 1} top={index * rowHeight} height={rowHeight}
        current={item.seq === cursor} open={open} onOpen={onOpen}
      />,
    );
  }
  const isShown = cursor !== undefined && shown.some((row) => row.key === cursor);
  return (
    <div
      class="calls" role="grid" aria-label="Calls" aria-rowcount={items.length + 1} aria-colcount={COLUMNS.length}
      tabIndex={0} aria-activedescendant={isShown ? rowId(cursor) : undefined} ref={box} onScroll={onScroll}
    >
      <Head />
      <div class="all-rows" role="rowgroup" style={{ height: `${items.length * rowHeight}px` }}>{shown}</div>
    </div>
  );
}

function Head() {
  return (
    <div role="rowgroup" class="head-group">
      <div role="row" class="row head" aria-rowindex={1}>
        {COLUMNS.map((name) => <span role="columnheader" class={`c-${name}`}>{TITLES[name] ?? name}</span>)}
      </div>
    </div>
  );
}

/** Scrolls as little as needed to show a row. */
function reveal(box: HTMLElement, top: number, rowHeight: number, height: number): void {
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + rowHeight > box.scrollTop + height) box.scrollTop = top + rowHeight - height;
}
