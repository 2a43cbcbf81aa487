import { withFilter } from "../route";
import { count } from "../text/format";

/** Says above the list that faults are set, as they make calls fail on purpose. */
export function FaultsNotice({ faults }: { faults: number }) {
  if (faults === 0) return null;
  return (
    <p class="faults-notice" role="status">
      <a href={withFilter("#/faults")}>⚠ {count(faults, "fault is", "faults are")} set</a>: calls can fail on purpose.
    </p>
  );
}
