import type { ComponentChildren } from "preact";

export function Field({ label, hint, children }: { label: string; hint?: string; children: ComponentChildren }) {
  return <label class="field"><span>{label}{hint && <small class="dim"> {hint}</small>}</span>{children}</label>;
}

interface TextProps {
  label: string;
  hint?: string;
  value: string;
  rows: number;
  onValue: (value: string) => void;
}

export function TextField({ label, hint, value, rows, onValue }: TextProps) {
  return (
    <Field label={label} hint={hint}>
      <textarea rows={rows} value={value} spellcheck={false} dir="auto" onInput={(event) => onValue(event.currentTarget.value)} />
    </Field>
  );
}

interface NameProps {
  label: string;
  hint?: string;
  value: string;
  names: string[];
  onValue: (value: string) => void;
}

/** A field with names to choose from, in which others can be typed. */
export function NameField({ label, hint, value, names, onValue }: NameProps) {
  const id = `names-${label}`;
  return (
    <Field label={label} hint={hint}>
      <input list={id} value={value} onInput={(event) => onValue(event.currentTarget.value)} />
      <datalist id={id}>{names.map((name) => <option value={name} />)}</datalist>
    </Field>
  );
}
