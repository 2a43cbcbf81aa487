// The API token, which stays in this tab.
const KEY = "mynah-token";

/** Takes the token out of the address, and keeps it. */
export function takeToken(): void {
  const match = /^#token=(.*)$/.exec(location.hash);
  if (!match) return;
  setToken(decode(match[1] ?? ""));
  history.replaceState(null, "", `${location.pathname}${location.search}`);
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
