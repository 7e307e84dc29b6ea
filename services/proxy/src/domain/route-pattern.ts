import { RE2JS } from "re2js";
import { normalisePath } from "./request-target.ts";

/** Longest pattern that is compiled, in characters (security, ReDoS). */
export const maxPatternLength = 1_000;

/** A route pattern, taken apart. Source: specification §2.3 "Pattern types", §4.1 proxy rule 1. */
export type CompiledPattern =
  | {
      readonly kind: "path";
      /** Each a literal segment, or undefined for one segment of any text (`*`, `{param}`). */
      readonly segments: readonly (string | undefined)[];
      /** Ends in `**` or `{path...}`: matches the segments alone, and everything below. */
      readonly isPrefix: boolean;
    }
  | { readonly kind: "regex"; readonly source: string; matches(path: string): boolean };

const parameter = /^\{[A-Za-z_][A-Za-z0-9_]*\}$/;
const wildcard = /^(?:\*\*|\{[A-Za-z_][A-Za-z0-9_]*\.\.\.\})$/;

/**
 * Compiles `/items`, `/items/*`, `/items/{id}`, `/items/**`, `/items/{path...}` or `regex:…` (RE2 syntax, matched
 * against the whole path). Throws RangeError, saying what was wrong and expected.
 */
export function compilePattern(pattern: string): CompiledPattern {
  if (pattern.length > maxPatternLength) {
    throw new RangeError(`pattern of ${pattern.length} characters: expected at most ${maxPatternLength}`);
  }
  if (pattern.startsWith("regex:")) return compileRegex(pattern.slice("regex:".length));
  if (!pattern.startsWith("/")) throw new RangeError(`pattern "${pattern}": expected a leading "/" or "regex:"`);
  const texts = pattern.slice(1).split("/");
  const isPrefix = wildcard.test(texts.at(-1) ?? "");
  if (isPrefix) texts.pop();
  return { kind: "path", segments: texts.map((text) => compileSegment(text, pattern)), isPrefix };
}

function compileSegment(text: string, pattern: string): string | undefined {
  if (text === "*" || parameter.test(text)) return undefined;
  if (/[*{}]/.test(text)) {
    throw new RangeError(`pattern "${pattern}": "*", "{name}" must be a whole segment, "**" and "{name...}" the last one`);
  }
  try {
    return normalisePath(`/${encodeURI(text).replaceAll("%25", "%")}`).slice(1);
  } catch (error) {
    throw new RangeError(`pattern "${pattern}": the segment "${text}" can never be part of a request`, { cause: error });
  }
}

function compileRegex(source: string): CompiledPattern {
  try {
    const expression = RE2JS.compile(source);
    return { kind: "regex", source, matches: (path) => expression.testExact(path) };
  } catch (error) {
    throw new RangeError(`pattern "regex:${source}": not a regular expression in RE2 syntax`, { cause: error });
  }
}
