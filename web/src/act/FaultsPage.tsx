import { useEffect, useState } from "preact/hooks";
import type { Journal } from "../store/journal";
import { Name } from "../text/Text";
import { FaultForm } from "./FaultForm";
import { clearFaults, getFaults, setFaults, type Target } from "./faults";
import { ResetForm } from "./ResetForm";

interface Listed {
  targets: Target[];
  isComplete: boolean;
}

/** Shows and changes the faults, and resets sessions. */
export function FaultsPage({ journal }: { journal: Journal }) {
  const [listed, setListed] = useState<Listed>();
  const [problem, setProblem] = useState("");
  const load = () => getFaults().then(setListed, (error: Error) => setProblem(error.message));
  const act = (change: Promise<void>) => {
    setProblem("");
    return change.then(load, (error: Error) => setProblem(error.message));
  };
  useEffect(() => void load(), []);
  return (
    <main class="act-page">
      <div class="act-form">
        <h2>Faults that are set</h2>
        <p class="dim">By this page or by tests, while mynah runs. The faults of rules and of component files are not in this list, and stay if it is cleared.</p>
        {problem && <p class="problem" role="alert">✕ <Name>{problem}</Name></p>}
        {listed && <List listed={listed} onClear={(target) => void act(setFaults({ ...target, faults: [] }))} onClearAll={() => void act(clearFaults())} />}
        <ResetForm journal={journal} onDone={() => void load()} />
      </div>
      <section class="act-result" aria-label="New fault"><FaultForm journal={journal} onSet={(target) => act(setFaults(target))} /></section>
    </main>
  );
}

interface ListProps {
  listed: Listed;
  onClear: (target: Target) => void;
  onClearAll: () => void;
}

function List({ listed: { targets, isComplete }, onClear, onClearAll }: ListProps) {
  return (
    <>
      {!isComplete && <p class="dim">This mynah does not list its faults: these are the ones of this page.</p>}
      {targets.length === 0 && <p>No faults are set{isComplete ? "" : " here"}. Set one to test how your application handles errors.</p>}
      {targets.map((target) => (
        <div class="target">
          <div class="bar">
            <span>component <strong><Name>{target.component ?? "all"}</Name></strong>, session <strong><Name>{target.session ?? "all"}</Name></strong></span>
            <button type="button" onClick={() => onClear(target)}>Clear</button>
          </div>
          {target.faults.map((fault) => <code><Name>{JSON.stringify(fault)}</Name></code>)}
        </div>
      ))}
      <p><button type="button" onClick={onClearAll}>Clear all faults</button> <span class="dim">Also ends the waits of calls.</span></p>
    </>
  );
}
