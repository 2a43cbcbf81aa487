import { useEffect, useRef } from "preact/hooks";

const FIELDS = "input, textarea, select";

/** Calls the handler of a key, unless a person types in a field or a dialog is open. */
export function useKeys(handlers: Record<string, (event: KeyboardEvent) => void>): void {
  // The next key may come before effects have run.
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (document.querySelector("dialog[open]")) return;
      const target = event.target instanceof Element ? event.target : document.body;
      if (target.matches(FIELDS)) return leave(event, target as HTMLElement);
      if (event.key === "Enter" && target.matches("a, button, summary")) return;
      if (event.key.startsWith("Arrow") && target.closest(".content")) return;
      const handler = latest.current[event.key];
      if (!handler) return;
      event.preventDefault();
      handler(event);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

function leave(event: KeyboardEvent, field: HTMLElement): void {
  if (event.key !== "Escape") return;
  field.blur();
  event.preventDefault();
}
