import type { Ref } from "preact";
import type { Journal } from "../store/journal";
import { isActive, NO_FILTER, type Filter } from "../store/filter";

interface Props {
  journal: Journal;
  filter: Filter;
  onFilter: (filter: Filter) => void;
  search: Ref<HTMLInputElement>;
  shown: number;
}

const OUTCOMES = ["ok", "failed", "cancelled"];
/** Maximum number of names that are offered. */
const OFFERED = 100;

export function Filters({ journal, filter, onFilter, search, shown }: Props) {
  const set = (key: keyof Filter) => (event: Event) =>
    onFilter({ ...filter, [key]: (event.currentTarget as HTMLInputElement).value });
  return (
    <form class="filters" role="search" aria-label="Filter calls" onSubmit={(event) => event.preventDefault()}>
      <input
        ref={search} type="search" class="f-text" placeholder="Search in calls  ( / )" aria-label="Text"
        value={filter.text} onInput={set("text")}
      />
      <input
        class="f-session" list="sessions" placeholder="session" aria-label="Session" value={filter.session}
        onInput={set("session")}
      />
      <datalist id="sessions">{journal.sessions.list(OFFERED).map((name) => <option value={name} />)}</datalist>
      <Select label="component" value={filter.component} names={journal.components.list(OFFERED)} onInput={set("component")} />
      <Select label="outcome" value={filter.outcome} names={OUTCOMES} onInput={set("outcome")} />
      {isActive(filter) && <button type="button" onClick={() => onFilter(NO_FILTER)}>Clear filters</button>}
      <output class="f-count">{shown.toLocaleString("en")}</output>
    </form>
  );
}

interface SelectProps {
  label: string;
  value: string;
  names: string[];
  onInput: (event: Event) => void;
}

function Select({ label, value, names, onInput }: SelectProps) {
  const known = value === "" || names.includes(value) ? names : [...names, value];
  return (
    <select class={`f-${label}`} aria-label={label} value={value} onInput={onInput}>
      <option value="">any {label}</option>
      {known.map((name) => <option value={name}>{name}</option>)}
    </select>
  );
}
