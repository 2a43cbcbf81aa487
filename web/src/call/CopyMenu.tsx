import { useMemo, useState } from "preact/hooks";
import { copies, type Copy } from "../copy";
import { address } from "../live/api";
import { token } from "../live/token";
import { entryOf, type Row } from "../store/row";
import { CopyButton } from "../text/CopyButton";
import { Dialog } from "../text/Dialog";
import { Text } from "../text/Text";

const DEFAULT_ORIGIN = "http://127.0.0.1:3500";

/** Shows what can be copied from a call, as it will be pasted. */
export function CopyMenu({ row, isLive, onClose }: { row: Row; isLive: boolean; onClose: () => void }) {
  const origin = isLive ? address("").origin : DEFAULT_ORIGIN;
  const hasToken = isLive && token() !== "";
  const all = useMemo(() => copies(entryOf(row), { origin, session: row.session, hasToken }), [row, origin, hasToken]);
  const [id, setId] = useState(all[0]?.id);
  const chosen = all.find((copy) => copy.id === id) ?? all[0];
  return (
    <Dialog title={`Copy call ${row.number} as`} wide onClose={onClose}>
      <div class="copy-menu">
        <div class="choices">{all.map((copy) => <Choice copy={copy} chosen={copy === chosen} onChoose={() => setId(copy.id)} />)}</div>
        {chosen && (
          <div class="preview">
            <div class="bar"><span class="dim">{chosen.language}</span><CopyButton text={() => chosen.text} label={`Copy ${chosen.label}`} focused /></div>
            <div class="scroll" tabIndex={0} role="region" aria-label={chosen.label}><Text key={chosen.id} text={chosen.text} code limit={30_000} /></div>
          </div>
        )}
      </div>
    </Dialog>
  );
}

function Choice({ copy, chosen, onChoose }: { copy: Copy; chosen: boolean; onChoose: () => void }) {
  return <button type="button" aria-pressed={chosen} onClick={onChoose}>{copy.label}</button>;
}
