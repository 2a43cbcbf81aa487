// Characters that change how a text looks without being seen.

/** Controls, bidirectional controls, invisible tags and lone surrogates; not tab and line break. */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\udb40[\udc00-\udc7f]/g;

/** A text, or the names of characters that cannot be seen. */
export type Piece = { text: string } | { hidden: string };

/** Maximum number of pieces; a text with more hidden characters is one piece. */
const MAX_PIECES = 4000;

const nameOf = (match: string): string =>
  `U+${(match.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

export function pieces(value: string): Piece[] {
  const found: Piece[] = [];
  let end = 0;
  for (const match of value.matchAll(HIDDEN)) {
    if (match.index > end) found.push({ text: value.slice(end, match.index) });
    const last = found[found.length - 1];
    const name = nameOf(match[0]);
    if (last && "hidden" in last) last.hidden += ` ${name}`;
    else found.push({ hidden: name });
    end = match.index + match[0].length;
    if (found.length > MAX_PIECES) return [{ text: plain(value) }];
  }
  if (end < value.length) found.push({ text: value.slice(end) });
  return found;
}

/** Returns a text with the names of its hidden characters. */
export const plain = (value: string): string => value.replace(HIDDEN, (match) => `<${nameOf(match)}>`);
