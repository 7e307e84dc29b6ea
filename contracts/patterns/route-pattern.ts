import { compileExpression, type Expression } from "./compile-expression.ts";
import { normalisePath } from "./normalise-path.ts";
import { quote } from "./quote.ts";

/** A parsed route pattern. Source: docs/interface/manifest.md#patterns. */
export type RoutePattern =
  | {
      readonly kind: "path";
      /** A literal segment, or undefined for a segment of any text (`*`, `{param}`). */
      readonly segments: readonly (string | undefined)[];
      /** The pattern ends in `**` or `{path...}`: it matches the segments alone and every path below. */
      readonly isPrefix: boolean;
    }
  | { readonly kind: "regex"; readonly expression: Expression };

/** Maximum length of a pattern, in characters. */
const maxLength = 1_000;
const regexPrefix = "regex:";
/** Non-ASCII characters stand for their escapes. */
const literal = /^(?:[A-Za-z0-9._~!$&'()+,;=:@%-]|[^\p{ASCII}\p{C}\p{Z}])+$/u;
const parameter = /^\{[A-Za-z_][A-Za-z0-9_]*\}$/;
const wildcard = /^(?:\*\*|\{[A-Za-z_][A-Za-z0-9_]*\.\.\.\})$/;

/**
 * Compiles `/items`, `/items/*`, `/items/{id}`, `/items/**`, `/items/{path...}` or `regex:…` (RE2 syntax, matched against the
 * whole path). Registration and the proxy both use this function. Throws RangeError with a message that names the problem and
 * the expected form.
 */
export function compileRoutePattern(pattern: string): RoutePattern {
  if (pattern === "") throw new RangeError("is required");
  if (pattern.startsWith(regexPrefix)) {
    if (pattern === regexPrefix) throw new RangeError("has an empty regular expression");
    return { kind: "regex", expression: compileExpression(pattern.slice(regexPrefix.length)) };
  }
  if (pattern.length > maxLength) throw new RangeError(`has ${pattern.length} characters; expected at most ${maxLength}`);
  if (!pattern.startsWith("/")) throw new RangeError(`must start with "/" or "${regexPrefix}", got ${quote(pattern)}`);
  const texts = pattern.slice(1).split("/");
  const isPrefix = wildcard.test(texts.at(-1) ?? "");
  if (isPrefix) texts.pop();
  const last = texts.length - 1;
  return { kind: "path", segments: texts.map((text, index) => compileSegment(text, !isPrefix && index === last)), isPrefix };
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
    throw new RangeError(`has the segment ${quote(text)}, which no request can hold: ${reason}`, { cause: error });
  }
}
