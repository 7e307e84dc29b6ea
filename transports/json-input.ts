import { inexactNumberPath, inexactNumberProblem } from "@appserver/contracts/json";
import { AppError, invalidField, requireInputTexts, textProblem } from "@appserver/kernel";

/** Maximum depth of nested lists and objects, because their readers recurse. */
export const maxNesting = 100;
/** A megabyte of empty lists would block the process. */
const maxContainers = 20_000;

/**
 * Throws INVALID_REQUEST for a JSON value that nests too deeply, contains too many lists and objects, or contains a text that
 * the platform does not store. `name`: the name of the value in messages.
 */
export function requireJsonInput(value: unknown, name: string): void {
  // The second check, which finds the place, is slow, so it runs only if the first one fails.
  if (typeof value !== "object" || value === null || !isPlain(value, name)) requireInputTexts(value, { name });
}

/** Returns whether every text can be stored. Does not recurse: it keeps its own stack of lists and objects. */
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

/** Returns whether a JSON text nests too deeply for its parser. Stops at the first bracket that does. */
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

/** Throws INVALID_REQUEST with the place of a number that would change. The text is JSON. `name`: the name of the whole value. */
export function requireExactNumbers(text: string, name: string): void {
  const path = inexactNumberPath(text);
  if (path !== undefined) throw inexactNumber(path === "" ? name : path);
}

export function inexactNumber(field: string): AppError {
  return invalidField(field, inexactNumberProblem);
}

function tooManyContainers(name: string): AppError {
  return new AppError("INVALID_REQUEST", `${name} contains more than ${maxContainers} lists and objects`, {
    details: { limit: maxContainers },
  });
}

export function nestedTooDeep(name: string): AppError {
  return new AppError("INVALID_REQUEST", `${name} is nested more than ${maxNesting} levels deep`, {
    details: { limit: maxNesting },
  });
}
