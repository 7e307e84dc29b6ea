/** The limits for the cookies of one app. */
export interface CookieRules {
  /** Only the identity provider may set this cookie. */
  readonly sessionCookieName: string;
  /** The app's base path, absolute, without a trailing slash. */
  readonly base: string;
  /** Whether the app sees paths without its base. `Path=/x` of a cookie then means the base and `/x`. */
  readonly stripsBase: boolean;
}

/** Browsers refuse cookies with control characters, or parse them in different ways. */
const controlCharacter = /[\u0000-\u0008\u000a-\u001f\u007f]/;
/** A sign-in that has begun is in such a cookie. */
const ownPrefix = "appserver_";
const own = /^(?:__host-)?appserver_/i;
/** Browsers send such a cookie to every path of the host, and accept it only with `Path=/` (RFC 6265bis §4.1.3.2). */
const hostPrefix = /^__host-/i;

/**
 * Confines the `Set-Cookie` line of an app to the app's own paths: `Domain` is dropped, and `Path` is set or moved below the
 * base. Returns undefined for a cookie that an app must not set: a cookie of the platform, one of the whole host, and a cookie
 * without a name, which browsers send as its bare value (`=session=x` is sent as `session=x`).
 */
export function confineCookie(line: string, rules: CookieRules): string | undefined {
  if (controlCharacter.test(line)) return undefined;
  const [pair = "", ...attributes] = line.split(";");
  const name = cookieNameOf(pair);
  if (name === "" || hostPrefix.test(name) || own.test(name)) return undefined;
  if (name.toLowerCase() === rules.sessionCookieName.toLowerCase()) return undefined;
  let path = "";
  const kept = attributes.filter((attribute) => {
    const at = attribute.indexOf("=");
    const attributeName = (at < 0 ? attribute : attribute.slice(0, at)).trim().toLowerCase();
    // If there are several, the last one applies (RFC 6265 §5.2).
    if (attributeName === "path") path = at < 0 ? "" : attribute.slice(at + 1).trim();
    return attributeName !== "path" && attributeName !== "domain";
  });
  return [pair, ...kept, ` Path=${confinedPath(path, rules)}`].join(";");
}

/** Returns a `Cookie` header without the session's cookie and other cookies of the platform, or undefined if nothing is left. */
export function withoutOwnCookies(header: string, sessionCookieName: string): string | undefined {
  if (!header.includes(sessionCookieName) && !header.includes(ownPrefix)) return header;
  const isOwn = (name: string): boolean => name === sessionCookieName || own.test(name);
  const kept = header.split(";").filter((pair) => !isOwn(cookieNameOf(pair)) && pair.trim() !== "");
  return kept.length === 0 ? undefined : kept.join(";").trim();
}

function cookieNameOf(pair: string): string {
  const at = pair.indexOf("=");
  return at < 0 ? "" : pair.slice(0, at).trim();
}

/** Without `Path`, a browser uses the request's folder. For the base itself, that is the folder of all apps. */
function confinedPath(path: string, { base, stripsBase }: CookieRules): string {
  if (path === base || path.startsWith(`${base}/`)) return path;
  return stripsBase && path.startsWith("/") && path !== "/" ? base + path : base;
}
