import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

/** Details that are drawn when they are opened for the first time. */
export function Lazy({ name, summary, children }: { name: string; summary: ComponentChildren; children: () => ComponentChildren }) {
  const [opened, setOpened] = useState(false);
  return (
    <details class={name} onToggle={(event) => event.currentTarget.open && setOpened(true)}>
      <summary>{summary}</summary>
      {opened && children()}
    </details>
  );
}
