import { i18n } from "../../i18n.ts";

/** A part of a route's path that the caller fills in. */
export interface PathParameter {
  readonly label: string;
  /** It may have several segments, or none. */
  readonly isRest: boolean;
}

/** A segment as it is, or one to fill in. */
type PathPart = string | PathParameter;

const everyMethod = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
/** Headers that browsers set themselves. A page that sets them is ignored (https://fetch.spec.whatwg.org/#forbidden-request-header). */
const ofBrowsers =
  /^(?:accept-charset|accept-encoding|access-control-.*|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|permissions-policy|referer|te|trailer|transfer-encoding|upgrade|via|proxy-.*|sec-.*)$/;
/** Headers that the proxy never takes from callers (docs/interface/proxy.md#reserved-headers). */
const ofPlatform =
  /^(?:x-user-id|x-app-name|x-machine-id|x-user-name|x-user-email|x-request-id|traceparent|x-forwarded-.*|x-appserver-signature)$/;

/** Returns the methods with which a route can be called. A route that names none takes every method. */
export function methodsOf(methods: readonly string[]): readonly string[] {
  return methods.length === 0 ? everyMethod : methods;
}

/** Returns whether a request with this method must not change anything (RFC 9110, section 9.2.1). */
export function isSafe(method: string): boolean {
  return safeMethods.has(method);
}

/** Returns whether a request with this method can have a body. */
export function takesBody(method: string): boolean {
  return method !== "GET" && method !== "HEAD";
}

/** Returns the headers that a caller can send to the app: what the proxy always forwards, and what the manifest lists. */
export function headersOf(forwardHeaders: readonly string[]): readonly string[] {
  const names = new Set(["accept", "content-type", ...forwardHeaders.map((name) => name.toLowerCase())]);
  return [...names].filter((name) => !ofBrowsers.test(name) && !ofPlatform.test(name));
}

/** Returns the parts of a pattern, or undefined for an expression: its path is entered whole. */
export function partsOf(pattern: string): readonly PathPart[] | undefined {
  if (pattern.startsWith("regex:")) return undefined;
  return pattern.split("/").slice(1).map(partOf);
}

function partOf(segment: string, index: number): PathPart {
  if (segment === "**") return { label: i18n.t("rest of the path"), isRest: true };
  if (segment === "*") return { label: i18n.t("segment {number}", { number: index + 1 }), isRest: false };
  const name = /^\{(\w+)(\.\.\.)?\}$/.exec(segment);
  return name ? { label: name[1] ?? segment, isRest: name[2] !== undefined } : segment;
}

/** Returns the parameters of a pattern in their order. */
export function parametersOf(parts: readonly PathPart[]): readonly PathParameter[] {
  return parts.filter((part) => typeof part !== "string");
}

/** Returns the path of a pattern with these values, by the label of the parameter. */
export function filledPath(parts: readonly PathPart[], values: ReadonlyMap<string, string>): string {
  const segments = parts.map((part) => {
    if (typeof part === "string") return part;
    const value = values.get(part.label) ?? "";
    return part.isRest ? value.split("/").map(encodeURIComponent).join("/").replace(/^\//, "") : encodeURIComponent(value);
  });
  return `/${segments.join("/")}`;
}

/** Returns the labels of the parameters that need a value and have none. A path with an empty segment is another path. */
export function missingIn(parts: readonly PathPart[], values: ReadonlyMap<string, string>): readonly string[] {
  return parametersOf(parts)
    .filter(({ label, isRest }) => !isRest && !values.get(label))
    .map(({ label }) => label);
}

/** Returns a path with a query, which may begin with `?`. */
export function withQuery(path: string, query: string): string {
  const text = query.trim().replace(/^\?/, "");
  return text === "" ? path : `${path}?${text}`;
}
