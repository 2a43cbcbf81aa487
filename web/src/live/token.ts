// The API token, which stays in this tab.
const KEY = "mynah-token";

/** Takes the token out of the address, and keeps it. Returns whether there was one. */
export function takeToken(): boolean {
  const match = /^#token=(.*)$/.exec(location.hash);
  if (!match) return false;
  setToken(decode(match[1] ?? ""));
  history.replaceState(null, "", `${location.pathname}${location.search}`);
  return true;
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

export const setToken = (token: string): void => sessionStorage.setItem(KEY, token);
export const token = (): string => sessionStorage.getItem(KEY) ?? "";
