/** Headers of one connection, never of the message (RFC 9110 §7.6.1). */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** What the platform alone says to an upstream, or frames itself. Underscore variants count as the same. */
const reserved: ReadonlySet<string> = new Set([
  "host",
  "expect",
  "x-user-id",
  "x-app-name",
  "x-request-id",
  "traceparent",
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-forwarded-host",
]);

const alwaysForwarded = ["content-type", "content-length", "accept", "accept-encoding", "user-agent"] as const;
const noNames: ReadonlySet<string> = new Set();

/** The request headers that may pass to an app, decided once. Source: specification §4.1 rule 5, behaviour "Headers". */
export function forwardableHeaders(listed: readonly string[]): ReadonlySet<string> {
  const names = [...alwaysForwarded, ...listed.map((name) => name.toLowerCase())];
  return new Set(names.filter((name) => !hopByHop.has(name) && !reserved.has(name.replaceAll("_", "-"))));
}

/** Copies the allowed headers of `raw` (name, value, …), without those that `Connection` names. */
export function forwardRequestHeaders(
  raw: readonly string[],
  allowed: ReadonlySet<string>,
  connection: string | undefined,
): string[] {
  const dropped = namesIn(connection);
  const kept: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase();
    if (allowed.has(name) && !dropped.has(name)) kept.push(name, raw[i + 1] as string);
  }
  return kept;
}

export interface ResponseRules {
  /** The session's cookie: only the identity provider sets it. */
  readonly sessionCookieName: string;
  /** Whether the platform sends its own rate-limit headers with this response. */
  readonly isLimited: boolean;
  /** A response without content, where a length would be wrong (204). */
  readonly hasNoContent: boolean;
}

/** The response headers that pass back to the caller, as name, value, … */
export function forwardResponseHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  rules: ResponseRules,
): string[] {
  const dropped = namesIn(joined(headers["connection"]));
  const kept: string[] = [];
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || hopByHop.has(name) || dropped.has(name) || name === "x-request-id") continue;
    if (rules.isLimited && (name.startsWith("x-ratelimit-") || name.startsWith("ratelimit"))) continue;
    if (rules.hasNoContent && name === "content-length") continue;
    if (typeof value === "string") push(kept, name, value, rules);
    else for (const one of value) push(kept, name, one, rules);
  }
  return kept;
}

function push(kept: string[], name: string, value: string, rules: ResponseRules): void {
  if (name === "set-cookie" && cookieName(value) === rules.sessionCookieName) return;
  kept.push(name, value);
}

function cookieName(setCookie: string): string {
  const end = setCookie.search(/[=;]/);
  return (end < 0 ? setCookie : setCookie.slice(0, end)).trim();
}

function namesIn(connection: string | undefined): ReadonlySet<string> {
  if (connection === undefined || connection === "keep-alive" || connection === "close") return noNames;
  return new Set(connection.split(",").map((name) => name.trim().toLowerCase()));
}

function joined(value: string | string[] | undefined): string | undefined {
  return typeof value === "object" ? value.join(",") : value;
}
