// Where the page is, as the fragment of its address: `#/call/12/why`.
import { useEffect, useState } from "preact/hooks";

export type Tab = "chat" | "why" | "thread" | "raw";
export type Route =
  | { view: "calls"; key?: undefined }
  | { view: "call"; key: string; tab: Tab }
  | { view: "try"; key?: string }
  | { view: "faults"; key?: undefined };

const TABS: Tab[] = ["chat", "why", "thread", "raw"];

export function parse(hash: string): Route {
  const [view, key, tab] = hash.replace(/^#\/?|\?.*$/g, "").split("/");
  if (view === "call" && key) return { view, key, tab: TABS.find((known) => known === tab) ?? "chat" };
  if (view === "try") return { view, key: key || undefined };
  if (view === "faults") return { view };
  return { view: "calls" };
}

/** Returns a link to a place that keeps the filter, which is in the address. */
export const withFilter = (place: string): string => place + (/\?.*/.exec(location.hash)?.[0] ?? "");

export const callLink = (key: string, tab: Tab = "chat"): string => withFilter(tab === "chat" ? `#/call/${key}` : `#/call/${key}/${tab}`);

/** Returns a link to the calls of a session. */
export const sessionLink = (session: string): string => `#/?${new URLSearchParams({ session })}`;

/** Goes to a place. `replace` leaves no step in the history of the browser. */
export function go(hash: string, replace = false): void {
  if (replace) {
    history.replaceState(null, "", hash);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = hash;
  }
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parse(location.hash));
  useEffect(() => {
    const update = () => setRoute(parse(location.hash));
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return route;
}
