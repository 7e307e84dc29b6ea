import { RE2JS } from "re2js";

const maxLength = 1000;
const segmentPattern = /^(?:[A-Za-z0-9._~!$&'()+,;=:@%-]+|\*|\{[A-Za-z_][A-Za-z0-9_]*\})$/;

/**
 * What is wrong with a route pattern, or undefined. The four forms of specification §2.3 and the placeholders of §4.1:
 * `/items`, `/items/*`, `/items/**`, `/items/{id}`, `/items/{path...}`, `regex:^/reports/[0-9]{4}$`.
 */
export function patternProblem(pattern: string): string | undefined {
  if (pattern === "") return "is required";
  if (pattern.length > maxLength) return `has ${pattern.length} characters, at most ${maxLength} are accepted`;
  if (pattern.startsWith("regex:")) return regexProblem(pattern.slice("regex:".length));
  if (!pattern.startsWith("/")) return `must start with "/" or "regex:", got ${JSON.stringify(pattern)}`;
  if (pattern === "/") return undefined;
  const segments = pattern.slice(1).split("/");
  const last = segments.length - 1;
  for (const [index, segment] of segments.entries()) {
    if (segment === "**" || /^\{[A-Za-z_][A-Za-z0-9_]*\.\.\.\}$/.test(segment)) {
      if (index !== last) return `may hold ${JSON.stringify(segment)} at its end only`;
      continue;
    }
    // A trailing slash is a path of its own.
    if (segment === "" && index === last) continue;
    if (!segmentPattern.test(segment) || segment === "." || segment === "..") {
      return `has the segment ${JSON.stringify(segment)}; literals, "*", "{name}" and a final "**" or "{name...}" are accepted`;
    }
  }
  return undefined;
}

function regexProblem(source: string): string | undefined {
  if (source === "") return "has an empty regular expression";
  try {
    // Look-around and backreferences are refused by RE2: matching takes linear time, whatever the pattern.
    RE2JS.compile(source);
    return undefined;
  } catch (error) {
    return `is not a regular expression in RE2 syntax: ${error instanceof Error ? error.message : String(error)}`;
  }
}
