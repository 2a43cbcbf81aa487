import { useState } from "preact/hooks";
import { bytes } from "./format";
import { pieces } from "./visible";

/** Characters of a long text that are shown at first. */
const SHOWN = 20_000;

/** Shows a text of a stranger: isolated from the direction of its surroundings, with hidden characters named. */
export function Name({ children }: { children: string }) {
  return <bdi><Pieces text={children} /></bdi>;
}

/** Shows a text of any length, as lines. */
export function Text({ text, code, limit = SHOWN }: { text: string; code?: boolean; limit?: number }) {
  const [all, setAll] = useState(false);
  const shown = all || text.length <= limit ? text : text.slice(0, limit);
  return (
    <>
      <div class={code ? "text code" : "text"} dir={code ? "ltr" : "auto"}><Pieces text={shown} /></div>
      {shown.length < text.length && (
        <button type="button" class="more" onClick={() => setAll(true)}>
          Show all ({bytes(new Blob([text]).size)})
        </button>
      )}
    </>
  );
}

export function Pieces({ text }: { text: string }) {
  return (
    <>
      {pieces(text).map((piece) =>
        "text" in piece ? piece.text : <span class="hidden-char">{piece.hidden}</span>,
      )}
    </>
  );
}
