import { AppError, requireInputTexts, textProblem } from "@appserver/kernel";

/** Lists and objects within each other: whoever reads them recurses. */
export const maxNesting = 100;
/** A megabyte of empty lists would hold up the process. */
const maxContainers = 20_000;

/**
 * Throws INVALID_REQUEST for a value of JSON that nests too deeply, holds too many lists and objects, or a text that the
 * platform does not store. `name`: of the value, for messages.
 */
export function requireJsonInput(value: unknown, name: string): void {
  // The second reading, which names the place, is slow: only what failed the first is worth it.
  if (typeof value !== "object" || value === null || !isPlain(value, name)) requireInputTexts(value, { name });
}

/** Whether every text may be stored. With a stack of its own, of lists and objects alone. */
function isPlain(value: object, name: string): boolean {
  const found: object[] = [value];
  const depths: number[] = [0];
  for (let read = 1, next = found.pop(); next; read += 1, next = found.pop()) {
    const depth = depths.pop() ?? 0;
    if (depth > maxNesting) throw nestedTooDeep(name);
    const isList = Array.isArray(next);
    if (!isList && Object.keys(next).some((key) => textProblem(key) !== undefined)) return false;
    for (const value of isList ? (next as readonly unknown[]) : Object.values(next)) {
      if (typeof value === "string" && textProblem(value) !== undefined) return false;
      if (typeof value !== "object" || value === null) continue;
      if (read + found.push(value) > maxContainers) throw tooManyContainers(name);
      depths.push(depth + 1);
    }
  }
  return true;
}

const [quote, backslash] = ['"'.charCodeAt(0), "\\".charCodeAt(0)];
const opening = new Set([..."[{"].map((char) => char.charCodeAt(0)));
const closing = new Set([..."]}"].map((char) => char.charCodeAt(0)));

/** Whether a text of JSON nests deeper than its parser should follow. Ends at the first bracket that does. */
export function nestsTooDeeply(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === quote) {
      for (at += 1; at < text.length && text.charCodeAt(at) !== quote; at += 1) if (text.charCodeAt(at) === backslash) at += 1;
    } else if (char >= 0x5b && opening.has(char)) {
      depth += 1;
      // A request itself is an object around its parts.
      if (depth > maxNesting + 2) return true;
    } else if (char >= 0x5b && closing.has(char)) depth -= 1;
  }
  return false;
}

function tooManyContainers(name: string): AppError {
  return new AppError("INVALID_REQUEST", `${name} holds more than ${maxContainers} lists and objects`, {
    details: { limit: maxContainers },
  });
}

export function nestedTooDeep(name: string): AppError {
  return new AppError("INVALID_REQUEST", `${name} is nested more than ${maxNesting} levels deep`, {
    details: { limit: maxNesting },
  });
}
