// The filter in the fragment of the address: `#/call/12/why?session=a&outcome=failed`.
import { useEffect, useRef, useState } from "preact/hooks";
import { NO_FILTER, type Filter } from "./filter";

const KEYS = Object.keys(NO_FILTER) as (keyof Filter)[];

/** Returns the filter of a fragment, if it has one. */
function readFilter(hash: string): Filter | undefined {
  const start = hash.indexOf("?");
  if (start < 0) return undefined;
  const found = new URLSearchParams(hash.slice(start));
  return Object.fromEntries(KEYS.map((key) => [key, found.get(key) ?? ""])) as unknown as Filter;
}

/** Puts the filter into the address, without a step in the history of the browser. */
function writeFilter(filter: Filter): void {
  const active = KEYS.filter((key) => filter[key]).map((key) => [key, filter[key]]);
  const place = location.hash.split("?")[0] || "#/";
  const wanted = active.length > 0 ? `${place}?${new URLSearchParams(active)}` : place;
  if (location.hash.includes("?") || active.length > 0) history.replaceState(null, "", wanted);
}

/** Returns the filter, which stays in the address wherever a link leads. */
export function useFilter(): [Filter, (filter: Filter) => void] {
  const [filter, setFilter] = useState(() => readFilter(location.hash) ?? NO_FILTER);
  const latest = useRef(filter);
  const take = (next: Filter) => {
    latest.current = next;
    setFilter(next);
  };
  useEffect(() => {
    const update = () => {
      const found = readFilter(location.hash);
      if (found) take(found);
      else writeFilter(latest.current);
    };
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  const change = (next: Filter) => {
    take(next);
    writeFilter(next);
  };
  return [filter, change];
}
