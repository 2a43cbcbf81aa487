import type { Outcome } from "../entry";

const SIGNS: Record<Outcome, string> = { ok: "✓", failed: "✕", cancelled: "⊘" };

/** Shows how a call has ended: by a sign, a word and a colour. */
export function OutcomeMark({ outcome }: { outcome: Outcome }) {
  return (
    <span class={`outcome ${outcome}`}>
      <span aria-hidden="true">{SIGNS[outcome]}</span> <span class="outcome-word">{outcome}</span>
    </span>
  );
}
