import { Dialog } from "./text/Dialog";

const KEYS: [string, string][] = [
  ["j / ↓", "down, to the call below"],
  ["k / ↑", "up, to the call above"],
  ["Enter", "open the call"],
  ["Esc", "leave a field, close the call, or clear the filters"],
  ["1 – 4", "conversation, why, thread, raw"],
  ["/", "search"],
  ["p", "pause, resume"],
  ["c", "copy the call as a rule, a test or a command"],
  ["Ctrl+Enter", "send a message or a request"],
  ["?", "this help"],
];

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">{KEYS.map(([key, effect]) => <div><dt><kbd>{key}</kbd></dt><dd>{effect}</dd></div>)}</dl>
    </Dialog>
  );
}
