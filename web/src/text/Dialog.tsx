import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** A modal dialog, which the browser closes with Esc. */
export function Dialog({ title, wide, onClose, children }: { title: string; wide?: boolean; onClose: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => before instanceof HTMLElement && before.focus();
  }, []);
  const outside = (event: Event) => event.target === dialog.current && onClose();
  return (
    <dialog ref={dialog} class={wide ? "wide" : ""} aria-labelledby="dialog-title" onClose={onClose} onClick={outside}>
      <div class="dialog">
        <div class="bar"><h2 id="dialog-title">{title}</h2><button type="button" onClick={onClose} aria-label="Close">✕</button></div>
        {children}
      </div>
    </dialog>
  );
}
