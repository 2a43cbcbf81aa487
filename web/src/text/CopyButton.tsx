import { useState } from "preact/hooks";

/** Copies a text as it is, also the characters that the page shows by name. */
export function CopyButton({ text, label = "Copy", focused }: { text: () => string; label?: string; focused?: boolean }) {
  const [state, setState] = useState<"" | "Copied" | "Copying failed">("");
  const copy = async () => {
    setState((await copyText(text())) ? "Copied" : "Copying failed");
    setTimeout(() => setState(""), 2000);
  };
  return (
    <button type="button" class="copy" autofocus={focused} onClick={() => void copy()}>
      <span aria-live="polite">{state || label}</span>
    </button>
  );
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** The way for pages that are not in a secure context. */
function copySelected(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  return copied;
}
