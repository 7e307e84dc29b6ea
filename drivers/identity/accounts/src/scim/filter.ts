import { textProblem } from "@appserver/kernel";
import { invalid } from "./scim-error.ts";

/** A comparison with `eq`. Names are in lower case. */
export interface Comparison {
  readonly name: string;
  readonly value: string | boolean;
}

/**
 * A condition of a filter: of an attribute, or of the elements of a list, of which one meets all comparisons. `emails.value eq "a"` and
 * `emails[value eq "a"]` are the same.
 */
export type Condition = Comparison | { readonly list: string; readonly element: readonly Comparison[] };

const maxLength = 1_000;
const maxComparisons = 10;
const lists: ReadonlySet<string> = new Set(["emails", "members"]);

const tokens = /\s*(?:("(?:[^"\\]|\\.)*")|([A-Za-z$][\w$:.-]*)|([[\]])|(\.[A-Za-z$][\w$]*))/y;

/**
 * Returns the conditions of a filter, all of which must be met: the part of RFC 7644 section 3.4.2.2 that clients send, which is `eq` and `and`.
 * Throws invalidFilter for anything else.
 */
export function parseFilter(text: string): readonly Condition[] {
  const scanner = new Scanner(text);
  const conditions = [condition(scanner)];
  while (scanner.takes("and")) conditions.push(condition(scanner));
  scanner.requireEnd();
  return conditions;
}

/** Returns the comparisons between the brackets of a path. */
export function parseElementFilter(text: string): readonly Comparison[] {
  const scanner = new Scanner(text);
  const found = comparisons(scanner);
  scanner.requireEnd();
  return found;
}

function condition(scanner: Scanner): Condition {
  const name = scanner.name();
  if (scanner.takes("[")) {
    const element = comparisons(scanner);
    if (!scanner.takes("]")) throw refuse("] is missing");
    const part = scanner.part();
    return { list: name, element: part === undefined ? element : [...element, { name: part, value: scanner.compared() }] };
  }
  const value = scanner.compared();
  const [list = "", part = "value", ...others] = name.split(".");
  return lists.has(list) && others.length === 0 ? { list, element: [{ name: part, value }] } : { name, value };
}

function comparisons(scanner: Scanner): readonly Comparison[] {
  const found: Comparison[] = [];
  do found.push({ name: scanner.name(), value: scanner.compared() });
  while (scanner.takes("and"));
  return found;
}

/** Reads the tokens of a filter, without recursion. */
class Scanner {
  readonly #text: string;
  #at = 0;
  #comparisons = 0;

  constructor(text: string) {
    if (text.length > maxLength) throw refuse(`it must have at most ${maxLength} characters`);
    this.#text = text;
  }

  name(): string {
    const [, , name] = this.#next();
    if (name === undefined) throw refuse("the name of an attribute is missing");
    return withoutSchema(name.toLowerCase());
  }

  /** Returns the part of the elements that is compared: `.value` after a bracket. */
  part(): string | undefined {
    const at = this.#at;
    const [, , , , part] = this.#next();
    if (part === undefined) this.#at = at;
    return part?.slice(1).toLowerCase();
  }

  compared(): string | boolean {
    this.#comparisons += 1;
    if (this.#comparisons > maxComparisons) throw refuse(`it must have at most ${maxComparisons} comparisons`);
    if (!this.takes("eq")) throw refuse("only the operators eq and and are supported");
    const [, text, word] = this.#next();
    const said = word?.toLowerCase();
    if (said === "true" || said === "false") return said === "true";
    if (text === undefined) throw refuse("a text in quotation marks, true or false is missing after eq");
    return textOf(text);
  }

  takes(expected: string): boolean {
    const at = this.#at;
    const [, , word, bracket] = this.#next();
    if ((word?.toLowerCase() ?? bracket) === expected) return true;
    this.#at = at;
    return false;
  }

  requireEnd(): void {
    if (this.#text.slice(this.#at).trim() !== "") throw refuse("only the operators eq and and are supported");
  }

  #next(): readonly (string | undefined)[] {
    tokens.lastIndex = this.#at;
    const found = tokens.exec(this.#text);
    if (!found) return [];
    this.#at = tokens.lastIndex;
    return found;
  }
}

/** `urn:ietf:params:scim:schemas:core:2.0:user:username` is `username`. */
function withoutSchema(name: string): string {
  return name.replace(/^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/, "");
}

function textOf(quoted: string): string {
  let text: unknown;
  try {
    text = JSON.parse(quoted);
  } catch {
    // Not an escape of JSON.
  }
  if (typeof text !== "string" || textProblem(text) !== undefined) throw refuse("a text has an invalid character");
  return text;
}

function refuse(detail: string): Error {
  return invalid("invalidFilter", `the filter cannot be read: ${detail}`);
}
