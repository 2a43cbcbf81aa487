import { useEffect, useState } from "preact/hooks";
import { withFilter } from "../route";
import { count } from "../text/format";
import { getFaults } from "./faults";

/** Time between two looks, in milliseconds: tests set faults at any time. */
const POLL = 2000;

/** Says above the list that faults are set, as they make calls fail on purpose. */
export function FaultsNotice() {
  const faults = useFaultCount();
  if (faults === 0) return null;
  return (
    <p class="faults-notice" role="status">
      <a href={withFilter("#/faults")}>⚠ {count(faults, "fault is", "faults are")} set</a>: calls can fail on purpose.
    </p>
  );
}

function useFaultCount(): number {
  const [faults, setFaults] = useState(0);
  useEffect(() => {
    const look = () => {
      if (document.hidden) return;
      const sum = ({ targets }: Awaited<ReturnType<typeof getFaults>>) => targets.reduce((all, target) => all + target.faults.length, 0);
      // If mynah cannot be reached, the header says so.
      getFaults().then((listed) => setFaults(sum(listed)), () => {});
    };
    look();
    const timer = setInterval(look, POLL);
    return () => clearInterval(timer);
  }, []);
  return faults;
}
