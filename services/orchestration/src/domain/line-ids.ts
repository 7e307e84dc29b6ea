const word = /[A-Za-z0-9._-]+/g;
const traceIdLength = 32;

/**
 * Returns whether a line contains one of these ids as a word. A trace id is also found within a `traceparent`. The time that it takes
 * depends on the length of the line, not on the number of ids.
 */
export function containsId(text: string, ids: ReadonlySet<string>): boolean {
  for (const [found] of text.matchAll(word)) {
    if (ids.has(found) || ids.has(found.replace(/^[._-]+|[._-]+$/g, ""))) return true;
    if (found.length > traceIdLength && found.split("-").some((part) => part.length === traceIdLength && ids.has(part)))
      return true;
  }
  return false;
}
