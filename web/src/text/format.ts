// Short forms of numbers, times and texts.

export function duration(ms: number): string {
  if (ms < 1) return `${ms.toFixed(2)} ms`;
  if (ms < 100) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(2)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 1_000_000) return `${(count / 1000).toFixed(1)} kB`;
  return `${(count / 1_000_000).toFixed(1)} MB`;
}

/** Returns the time of day with milliseconds, in the reader's time zone. */
export function clock(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  const two = (value: number) => String(value).padStart(2, "0");
  const ms = String(date.getMilliseconds()).padStart(3, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${ms}`;
}

export const count = (value: number, one: string, many = `${one}s`): string =>
  `${value.toLocaleString("en")} ${value === 1 ? one : many}`;

/** Returns the beginning of a text, on one line. It is a copy: a slice would keep the whole text in memory. */
export function clip(value: string, length: number): string {
  const line = value.slice(0, length * 2).replace(/\s+/g, " ").trim();
  const cut = line.length > length || value.length > length * 2 ? `${line.slice(0, length)}…` : line;
  return JSON.parse(JSON.stringify(cut)) as string;
}

/** Returns the arguments of a tool call in short: `city: "Oslo", days: 2`. */
export function shortArguments(args: string): string {
  try {
    const parsed: unknown = JSON.parse(args);
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return args;
    return Object.entries(parsed).map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join(", ");
  } catch {
    return args;
  }
}
