import { compileExpression, type Expression } from "./compile-expression.ts";
import { normalisePath } from "./normalise-path.ts";
import type { PatternProblem } from "./problem.ts";
import { quote } from "./quote.ts";

/** A compiled route pattern. Source: docs/interface/manifest.md#patterns. */
export type CompiledPattern = PathPattern | RegexPattern;

interface PathPattern {
  readonly kind: "path";
  /** A literal segment, or undefined for a segment of any text (`*`, `{param}`). */
  readonly segments: readonly (string | undefined)[];
  /** The pattern ends in `**` or `{path...}`: it matches the segments alone and every path below. */
  readonly isPrefix: boolean;
}

interface RegexPattern {
  readonly kind: "regex";
  readonly expression: Expression;
}

/** Maximum length of a pattern, in characters. */
const maxLength = 1_000;
const regexPrefix = "regex:";
/** Non-ASCII characters stand for their escapes. */
const literal = /^(?:[A-Za-z0-9._~!$&'()+,;=:@%-]|[^\p{ASCII}\p{C}\p{Z}])+$/u;
const parameter = /^\{[A-Za-z_][A-Za-z0-9_]*\}$/;
const wildcard = /^(?:\*\*|\{[A-Za-z_][A-Za-z0-9_]*\.\.\.\})$/;

/**
 * Parses `/items`, `/items/*`, `/items/{id}`, `/items/**`, `/items/{path...}` or `regex:…` (RE2 syntax, matched against the
 * whole path). The only grammar of patterns: registration reports its problems, and the proxy matches what it returns.
 */
export function parseRoutePattern(text: string): CompiledPattern | PatternProblem {
  try {
    return compile(text);
  } catch (error) {
    if (error instanceof RangeError) return { problem: error.message };
    throw error;
  }
}

/** Returns the source of the expression of a `regex:` pattern, else undefined. Compiles nothing. */
export function regexOfPattern(text: string): string | undefined {
  return text.startsWith(regexPrefix) ? text.slice(regexPrefix.length) : undefined;
}

function compile(text: string): CompiledPattern {
  if (text === "") throw new RangeError("is required");
  const source = regexOfPattern(text);
  if (source === "") throw new RangeError("has an empty regular expression");
  if (source !== undefined) return { kind: "regex", expression: compileExpression(source) };
  if (text.length > maxLength) throw new RangeError(`has ${text.length} characters; expected at most ${maxLength}`);
  if (!text.startsWith("/")) throw new RangeError(`must start with "/" or "${regexPrefix}", got ${quote(text)}`);
  return compilePath(text.slice(1).split("/"));
}

function compilePath(texts: readonly string[]): PathPattern {
  const isPrefix = wildcard.test(texts.at(-1) ?? "");
  const own = isPrefix ? texts.slice(0, -1) : texts;
  const last = own.length - 1;
  return { kind: "path", segments: own.map((text, index) => compileSegment(text, !isPrefix && index === last)), isPrefix };
}

function compileSegment(text: string, isLast: boolean): string | undefined {
  // A path with a trailing slash differs from the path without it.
  if (text === "" && isLast) return "";
  if (text === "*" || parameter.test(text)) return undefined;
  if (!literal.test(text)) {
    throw new RangeError(
      `has the segment ${quote(text)}; literals, "*", "{name}" and a final "**" or "{name...}" are accepted`,
    );
  }
  try {
    return normalisePath(`/${encodeURI(text).replaceAll("%25", "%")}`).slice(1);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RangeError(`has the segment ${quote(text)}, which no request can contain: ${reason}`, { cause: error });
  }
}
