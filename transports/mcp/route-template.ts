import { parseRoutePattern, regexOfPattern } from "@appserver/contracts/patterns";
import { lineProblem } from "@appserver/kernel";
import { invalidArgument, type Values } from "./tool.ts";

/** A parameter of a path. */
export interface PathParameter {
  readonly name: string;
  /** Whether its value is a list of segments: what is below a path, or a path that a regular expression matches. */
  readonly isList: boolean;
}

type Part = string | PathParameter;

/** Characters of a parameter, and items of a list. */
const maxLength = 1_000;
const maxSegments = 100;

const named = /^\{([A-Za-z_][A-Za-z0-9_]*)(\.\.\.)?\}$/;

/** The path of a route with its parameters: writes paths that only this route has. */
export class RouteTemplate {
  readonly parameters: readonly PathParameter[];
  /** Its segments, each of one part or several. */
  readonly #segments: readonly (readonly Part[])[];

  private constructor(segments: readonly (readonly Part[])[]) {
    this.#segments = segments;
    this.parameters = segments.flat().filter((part) => typeof part !== "string");
  }

  /**
   * Reads a pattern of a manifest. Parameters without a name are called `segment1`, `rest` and `path`; of two with the same name the second one
   * gets a number. Throws RangeError for a pattern that registration refuses.
   */
  static ofPattern(pattern: string): RouteTemplate {
    const names = new Set<string>();
    if (regexOfPattern(pattern) !== undefined) return new RouteTemplate([[{ name: "path", isList: true }]]);
    const parsed = parseRoutePattern(pattern);
    if ("problem" in parsed || parsed.kind === "regex") throw new RangeError(`the pattern ${pattern} is invalid`);
    const texts = pattern.slice(1).split("/");
    const segments: (readonly Part[])[] = parsed.segments.map((literal, index) => {
      if (literal !== undefined) return [literal];
      return [{ name: newName(named.exec(texts[index] ?? "")?.[1] ?? `segment${index + 1}`, names), isList: false }];
    });
    if (parsed.isPrefix) segments.push([{ name: newName(named.exec(texts.at(-1) ?? "")?.[1] ?? "rest", names), isList: true }]);
    return new RouteTemplate(segments);
  }

  /** Reads a path of an API description, whose parameters may be parts of segments: `/items/{id}.json`. */
  static ofPath(path: string): RouteTemplate {
    const partsOf = (segment: string): readonly Part[] =>
      segment.split(/(\{[^{}]*\})/).flatMap((text) => {
        if (text === "") return [];
        return text.startsWith("{") ? { name: text.slice(1, -1), isList: false } : text;
      });
    return new RouteTemplate(path.slice(1).split("/").map(partsOf));
  }

  /**
   * Returns the path with these values, percent-encoded. Empty for the base of the app. Throws INVALID_REQUEST for a missing or unknown value, and
   * for one that a server may read as something other than this text in this place: with slashes, dot segments, control characters or escapes.
   */
  path(values: Values): string {
    const unknown = Object.keys(values).find((name) => !this.parameters.some((parameter) => parameter.name === name));
    if (unknown !== undefined) throw invalidArgument(`params.${unknown.slice(0, 100)}`, "is unknown");
    const segments = this.#segments.flatMap((parts) => {
      const [part] = parts;
      if (parts.length === 1 && typeof part === "object" && part.isList) return listOf(values, part.name);
      const texts = parts.map((each) =>
        typeof each === "string" ? each : encoded(ownValue(values, each.name), `params.${each.name}`),
      );
      return texts.join("");
    });
    return segments.map((segment) => `/${segment}`).join("");
  }
}

function newName(name: string, names: Set<string>): string {
  let free = name;
  for (let number = 2; names.has(free); number += 1) free = `${name}_${number}`;
  names.add(free);
  return free;
}

/** Names of parameters are names of properties that every object has, too. */
function ownValue(values: Values, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function listOf(values: Values, name: string): readonly string[] {
  const list = ownValue(values, name);
  const field = `params.${name}`;
  if (!Array.isArray(list)) throw invalidArgument(field, "must be a list of segments");
  if (list.length > maxSegments) throw invalidArgument(field, `must have at most ${maxSegments} segments`);
  return list.map((segment, index) => encoded(segment, `${field}.${index}`));
}

function encoded(value: unknown, field: string): string {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || text === "" || text.length > maxLength)
    throw invalidArgument(field, `must be a text of 1 to ${maxLength} characters`);
  const problem = lineProblem(text);
  if (problem !== undefined) throw invalidArgument(field, problem);
  if (/[/\\]/.test(text)) throw invalidArgument(field, "must not contain a slash or a backslash");
  if (/^\.{1,2}(?:;|$)/.test(text)) throw invalidArgument(field, "must not be a dot segment");
  if (/%[0-9a-f]{2}/i.test(text)) throw invalidArgument(field, "must be written without percent-encoding");
  return encodeURIComponent(text);
}
