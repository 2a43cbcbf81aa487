import { sessionLink } from "../route";
import type { Item, Row } from "../store/row";
import { Name } from "../text/Text";
import { clock, duration } from "../text/format";
import { OutcomeMark } from "./OutcomeMark";

interface Props {
  item: Item;
  /** The number of the row in the list, from 1. */
  position: number;
  top: number;
  height: number;
  current: boolean;
  open: boolean;
  onOpen: (row: Row) => void;
}

export const rowId = (seq: number): string => `row-${seq}`;

export function ListRow({ item, position, top, height, current, open, onOpen }: Props) {
  const style = { transform: `translateY(${top}px)`, height: `${height}px` };
  const common = { role: "row" as const, id: rowId(item.seq), "aria-rowindex": position + 1, style };
  if (item.kind === "marker") {
    return <div {...common} class="row marker"><span role="gridcell" aria-colspan={9}>{item.text}</span></div>;
  }
  const name = `row${current ? " current" : ""}${open ? " open" : ""}`;
  return (
    <div {...common} class={name} aria-selected={current} onClick={() => onOpen(item)}>
      <Cells row={item} />
    </div>
  );
}

/** A link that does not open the row. It is no tab stop, as a list has many; the call has it again. */
function SessionLink({ session }: { session: string }) {
  return <a href={sessionLink(session)} tabIndex={-1} onClick={(event) => event.stopPropagation()}><Name>{session}</Name></a>;
}

function Cells({ row }: { row: Row }) {
  return (
    <>
      <span role="gridcell" class="c-time">{clock(row.time)}</span>
      <span role="gridcell" class="c-session"><SessionLink session={row.session} /></span>
      <span role="gridcell" class="c-component"><Name>{row.component}</Name></span>
      <span role="gridcell" class="c-surface">{row.surface}</span>
      <span role="gridcell" class="c-words"><Name>{row.words}</Name></span>
      <span role="gridcell" class={`c-answer ${row.outcome}`}><Name>{row.answer}</Name></span>
      <span role="gridcell" class="c-duration">{duration(row.duration)}</span>
      <span role="gridcell" class="c-tokens">{row.tokens?.toLocaleString("en") ?? ""}</span>
      <span role="gridcell" class="c-outcome"><OutcomeMark outcome={row.outcome} /></span>
    </>
  );
}
