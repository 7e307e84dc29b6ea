import { invalidField } from "./app-error.ts";
import { textProblem } from "./input-text.ts";

export interface InputTextOptions {
  /** Name of the whole input in the error. */
  readonly name: string;
  /** Returns the name of a member in the error. Default: the key. */
  readonly memberName?: (key: string) => string;
  /** Returns another problem of an object, as the end of a sentence ("must …"). */
  readonly objectProblem?: (value: object) => string | undefined;
}

interface Part {
  readonly value: unknown;
  readonly path: string;
}

/**
 * Throws INVALID_REQUEST if any text of a decoded input, keys included, cannot be stored (`textProblem`). Accepts any tree of
 * objects, maps and arrays of any depth; skips bytes. Listeners call it once for all decoded input.
 */
export function requireInputTexts(input: unknown, options: InputTextOptions): void {
  const { name, memberName = (key) => key, objectProblem = () => undefined } = options;
  // An explicit stack: a deep input must not exhaust the call stack.
  const waiting: Part[] = [{ value: input, path: "" }];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    const { value, path } = part;
    if (typeof value === "string") {
      const problem = textProblem(value);
      if (problem !== undefined) throw invalidField(path === "" ? name : path, problem);
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        if (mayHoldText(item)) waiting.push({ value: item, path: `${path === "" ? name : path}[${index}]` });
      }
    } else if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value)) {
      const wrong = objectProblem(value);
      if (wrong !== undefined) throw invalidField(path === "" ? name : path, wrong);
      for (const [key, member] of value instanceof Map ? value : Object.entries(value)) {
        const problem = typeof key === "string" ? textProblem(key) : undefined;
        if (problem !== undefined) throw invalidField(path === "" ? name : path, `has a key that ${problem}`);
        const own = memberName(String(key));
        if (mayHoldText(member)) waiting.push({ value: member, path: path === "" ? own : `${path}.${own}` });
      }
    }
  }
}

function mayHoldText(value: unknown): boolean {
  return typeof value === "string" || (typeof value === "object" && value !== null);
}
