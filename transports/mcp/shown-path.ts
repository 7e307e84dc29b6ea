import { regexOfPattern } from "@appserver/contracts/patterns";

/** Characters of a path, and of a part of it, that stand where the platform speaks. */
const maxLength = 40;
const plainPart = /^(?:[\w.-]{1,24}|\{[\w.$-]{1,24}\})$/;
const wildcard = /^\*{1,2}$/;
const partsOfSegment = /(\{[^{}]*\})/;

/**
 * Returns what the platform says of the path of a route. Its text is the app's, so it has parameters and short segments of letters, digits, `_`,
 * `.` and `-` only, and `…` for others. Undefined for a regular expression.
 */
export function shownPath(path: string): string | undefined {
  if (regexOfPattern(path) !== undefined) return undefined;
  let shown = "";
  for (const segment of path.slice(1).split("/")) {
    const longer = `${shown}/${isPlain(segment) ? segment : "…"}`;
    if (longer.length > maxLength) return `${shown}/…`;
    shown = longer;
  }
  return shown;
}

function isPlain(segment: string): boolean {
  if (wildcard.test(segment)) return true;
  return segment
    .split(partsOfSegment)
    .filter(Boolean)
    .every((part) => plainPart.test(part));
}
