// Which rows of a long list are in the document.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Item } from "../store/row";

/** Rows before and after those that can be seen. */
const SPARE = 12;
/** Maximum number of rows in the document, whatever the size of the window. */
const MAX_ROWS = 180;
const WIDE_ROW = 28;
const NARROW_ROW = 50;
const NARROW = 560;
/** The height of the head, which wide lists have. It covers no row. */
const HEAD = 27;

/** Returns the position of an item, newest first. Items are oldest first, with rising `seq`. */
export function positionOf(items: Item[], seq: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle] as Item).seq < seq) low = middle + 1;
    else high = middle;
  }
  return items.length - 1 - low;
}

export function useWindow(items: Item[]) {
  const box = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 1000, height: 600 });
  const [top, setTop] = useState(0);
  const anchor = useRef<{ seq: number; offset: number } | undefined>(undefined);
  const rowHeight = size.width < NARROW ? NARROW_ROW : WIDE_ROW;
  useEffect(() => observe(box.current, setSize), []);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !anchor.current || element.scrollTop === 0) return;
    // New calls come in above: keep what the reader looks at in its place.
    const wanted = positionOf(items, anchor.current.seq) * rowHeight + anchor.current.offset;
    if (Math.abs(wanted - element.scrollTop) > 1) element.scrollTop = wanted;
  }, [items, rowHeight]);
  const first = Math.max(0, Math.floor(top / rowHeight) - SPARE);
  const shown = Math.min(MAX_ROWS, Math.ceil(size.height / rowHeight) + 2 * SPARE);
  const onScroll = () => {
    const element = box.current as HTMLDivElement;
    const index = Math.floor(element.scrollTop / rowHeight);
    const item = items[items.length - 1 - index];
    anchor.current = item && { seq: item.seq, offset: element.scrollTop - index * rowHeight };
    setTop(element.scrollTop);
  };
  return { box, rowHeight, first, last: Math.min(items.length, first + shown), onScroll, height: size.height - (size.width < NARROW ? 0 : HEAD) };
}

function observe(element: HTMLDivElement | null, onSize: (size: { width: number; height: number }) => void) {
  if (!element) return undefined;
  const observer = new ResizeObserver(() => onSize({ width: element.clientWidth, height: element.clientHeight }));
  observer.observe(element);
  return () => observer.disconnect();
}
