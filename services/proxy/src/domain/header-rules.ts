import { signatureHeaders } from "@appserver/contracts/signature";
import { isActiveDocument } from "@appserver/kernel";
import { platformHeaderNames } from "./platform-headers.ts";
import { type BackendAddresses, publicAddresses, publicValue } from "./public-addresses.ts";
import { appendOnce } from "./repeated-headers.ts";
import { type CookieRules, confineCookie, withoutOwnCookies } from "./set-cookie.ts";

/** Headers that belong to one connection, not to the message (RFC 9110 §7.6.1). */
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

/**
 * Headers that only the platform sends to an upstream, and headers of the message framing. Underscore variants are treated the
 * same.
 */
const reserved: ReadonlySet<string> = new Set(["host", "expect", ...platformHeaderNames]);

/** Headers that authenticate a caller to the platform. An app that received them could act as the caller. */
const credentials: ReadonlySet<string> = new Set([signatureHeaders.signature, signatureHeaders.timestamp]);

/**
 * Headers that browsers apply to the whole origin, not only to the response: service workers beyond the script's folder,
 * cleared data, pinned protocols and keys, reports sent elsewhere, client hints, dictionaries and device-bound sessions.
 */
const originWide = [
  "service-worker-allowed",
  "clear-site-data",
  "strict-transport-security",
  "alt-svc",
  "public-key-pins",
  "public-key-pins-report-only",
  "expect-ct",
  "nel",
  "report-to",
  "reporting-endpoints",
  "accept-ch",
  "critical-ch",
  "set-login",
  "use-as-dictionary",
  "sec-session-registration",
  "secure-session-registration",
  "sec-session-challenge",
  "secure-session-challenge",
] as const;

/** Headers that are never forwarded from an app. The platform itself sets the last two. HTTP/2 allows no `http2-settings`. */
const dropped: ReadonlySet<string> = new Set([
  ...hopByHop,
  ...originWide,
  "http2-settings",
  "x-request-id",
  "x-content-type-options",
]);

/**
 * Isolates an app's page from the platform's origin. The page runs, but reads and sends no more than a page of any other site.
 * Popups escape the sandbox, so that links to other sites work.
 */
const sandbox =
  "sandbox allow-scripts allow-forms allow-modals allow-downloads allow-popups allow-popups-to-escape-sandbox allow-pointer-lock";

/** The shell shows a rendered page in a frame that allows no more than this. */
const pageSandbox = "sandbox allow-scripts allow-forms";

/** Source expressions of what a page may load. */
export interface PageSources {
  /** The files of its app. */
  readonly files: string;
  /** The style sheet that the platform has for pages of apps. */
  readonly styles: string;
}

/**
 * Returns the policy of a page that an app renders: it reaches nothing over the network but files of its app, and the platform's styles for
 * apps.
 */
function pageContent({ files, styles }: PageSources): string {
  return [
    "default-src 'none'",
    `script-src ${files} 'unsafe-inline'`,
    `style-src ${files} ${styles} 'unsafe-inline'`,
    `img-src ${files} data: blob:`,
    `font-src ${files} data:`,
    `media-src ${files} data: blob:`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join("; ");
}

const alwaysForwarded = ["content-type", "content-length", "accept", "accept-encoding", "user-agent"] as const;
const noNames: ReadonlySet<string> = new Set();

/** The headers of a caller that are forwarded to an app. */
export interface ForwardRules {
  readonly names: ReadonlySet<string>;
  /**
   * The session cookie and bearer tokens are removed from `cookie` and `authorization`. If undefined, they are forwarded where
   * listed.
   */
  readonly sessionCookieName: string | undefined;
}

/**
 * Compiles which request headers are forwarded to an app (docs/interface/proxy.md#request-headers). With `forwardSession` a
 * listed header is forwarded unchanged, including the caller's credentials (docs/interface/proxy.md#reserved-headers).
 */
export function forwardRules(listed: readonly string[], sessionCookieName: string, forwardSession: boolean): ForwardRules {
  const names = [...alwaysForwarded, ...listed.map((name) => name.toLowerCase())].filter((name) => {
    const plain = name.replaceAll("_", "-");
    return !hopByHop.has(name) && !reserved.has(plain) && (forwardSession || !credentials.has(plain));
  });
  return { names: new Set(names), sessionCookieName: forwardSession ? undefined : sessionCookieName };
}

/** Copies the allowed headers of `raw` (name, value, …), except those that `Connection` names. */
export function forwardRequestHeaders(
  raw: readonly string[],
  { names, sessionCookieName }: ForwardRules,
  connection: string | undefined,
): string[] {
  const named = namesIn(connection);
  const kept: string[] = [];
  let cookieAt = -1;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase();
    if (!names.has(name) || named.has(name)) continue;
    const value = sessionCookieName === undefined ? raw[i + 1] : withoutSession(name, raw[i + 1] as string, sessionCookieName);
    if (value === undefined) continue;
    if (name === "cookie" && cookieAt >= 0) {
      // HTTP/2 divides cookies among lines, and HTTP/1.1 has one (RFC 9113 §8.2.3).
      kept[cookieAt] += `; ${value}`;
      continue;
    }
    kept.push(name, value);
    if (name === "cookie") cookieAt = kept.length - 1;
  }
  return kept;
}

function withoutSession(name: string, value: string, sessionCookieName: string): string | undefined {
  if (name === "cookie") return withoutOwnCookies(value, sessionCookieName);
  // The platform treats a bearer token as a session, on every route.
  return name === "authorization" && bearerScheme.test(value) ? undefined : value;
}

const bearerScheme = /^\s*bearer(?:\s|$)/i;

export interface ResponseRules extends CookieRules {
  /** Whether the platform sends its own rate-limit headers with this response. */
  readonly isLimited: boolean;
  readonly status: number;
  /** Whether the app may use the platform's origin. Its pages are then not sandboxed. */
  readonly mayActForOrigin: boolean;
  /** Whether the route requires a session or a signature. */
  readonly isProtected: boolean;
  /** For a page that the app renders for the shell. Undefined for every other response. */
  readonly pageSources: PageSources | undefined;
  readonly addresses: BackendAddresses;
}

/**
 * Returns the response headers for the caller, as name, value, … `headers` has the same form, with names in lower case. The result
 * can be sent over every version of HTTP: whatever a backend may send passes here, or is refused when it is parsed.
 */
export function forwardResponseHeaders(headers: readonly string[], rules: ResponseRules): string[] {
  const named = namesIn(joinedValues(headers, "connection"));
  const kept: string[] = [];
  let length: string | undefined;
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] as string;
    if (dropped.has(name) || named.has(name) || name === "content-security-policy") continue;
    if (rules.isLimited && (name.startsWith("x-ratelimit-") || name.startsWith("ratelimit"))) continue;
    if (name === "content-length") length = headers[i + 1];
    else push(kept, name, headers[i + 1] as string, rules);
  }
  // Node changes the bytes of `Content-Disposition` if it has seen a length before.
  if (rules.status === 205) kept.push("content-length", "0");
  else if (length !== undefined && !hasNoContent(rules.status)) kept.push("content-length", length);
  pushBrowserRules(kept, headers, rules);
  return kept;
}

/** Returns whether a response of this status has no content, whatever the backend sends (RFC 9110 §8.6, §15.3.6). */
export function hasNoContent(status: number): boolean {
  return status === 204 || status === 205 || status === 101;
}

function push(kept: string[], name: string, value: string, rules: ResponseRules): void {
  if (name !== "set-cookie") {
    appendOnce(kept, name, publicAddresses.has(name) ? publicValue(name, value, rules.addresses) : value);
    return;
  }
  // A handshake must not set cookies: browsers accept them, and no page can see that it happened.
  const cookie = rules.status === 101 ? undefined : confineCookie(value, rules);
  if (cookie !== undefined) kept.push(name, cookie);
}

/** Adds the headers that the platform sets for browsers on every response. The app's own policy can only restrict further. */
function pushBrowserRules(
  kept: string[],
  headers: readonly string[],
  { status, mayActForOrigin, isProtected, pageSources }: ResponseRules,
): void {
  if (status === 101) return;
  kept.push("x-content-type-options", "nosniff");
  const own = joinedValues(headers, "content-security-policy");
  const isConfined = !mayActForOrigin && isActiveDocument(joinedValues(headers, "content-type"));
  const confined = pageSources === undefined ? sandbox : pageSandbox;
  const content = pageSources === undefined ? [] : [pageContent(pageSources)];
  const policies = [...(isConfined ? [confined] : []), ...content, ...(own === undefined ? [] : [own])];
  if (policies.length > 0) kept.push("content-security-policy", policies.join(", "));
  // Pages of other sites must not embed a response that requires a session.
  if (isProtected && joinedValues(headers, "cross-origin-resource-policy") === undefined) {
    kept.push("cross-origin-resource-policy", "same-origin");
  }
}

function namesIn(connection: string | undefined): ReadonlySet<string> {
  if (connection === undefined || connection === "keep-alive" || connection === "close") return noNames;
  return new Set(connection.split(",").map((name) => name.trim().toLowerCase()));
}

/** Returns the values of all headers of a name as one. Undefined if there is none. */
export function joinedValues(headers: readonly string[], name: string): string | undefined {
  let joined: string | undefined;
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i] === name) joined = joined === undefined ? headers[i + 1] : `${joined},${headers[i + 1]}`;
  return joined;
}
