/** Where the cookies of one app may go. */
export interface CookieRules {
  /** Only the identity provider sets it. */
  readonly sessionCookieName: string;
  /** The app's base path, absolute, without a slash at the end. */
  readonly base: string;
  /** The app knows paths without its base: a cookie's `Path=/x` means the base and `/x`. */
  readonly stripsBase: boolean;
}

/** Browsers refuse cookies with control characters, or read them in different ways. */
const controlCharacter = /[\u0000-\u0008\u000a-\u001f\u007f]/;
/** The browser sends such a cookie to every path of the host, and takes it with `Path=/` alone (RFC 6265bis §4.1.3.2). */
const hostPrefix = /^__host-/i;

/**
 * The `Set-Cookie` line of an app, confined to the app's own paths: `Domain` dropped, `Path` set or moved below the base.
 * Undefined for one that must not be set: the session's, one of the whole host, and one without a name, which browsers send
 * as its bare value (`=session=x` comes back as `session=x`).
 */
export function confineCookie(line: string, rules: CookieRules): string | undefined {
  if (controlCharacter.test(line)) return undefined;
  const [pair = "", ...attributes] = line.split(";");
  const name = cookieNameOf(pair);
  if (name === "" || hostPrefix.test(name) || name.toLowerCase() === rules.sessionCookieName.toLowerCase()) return undefined;
  let path = "";
  const kept = attributes.filter((attribute) => {
    const at = attribute.indexOf("=");
    const attributeName = (at < 0 ? attribute : attribute.slice(0, at)).trim().toLowerCase();
    // Of several the last counts (RFC 6265 §5.2).
    if (attributeName === "path") path = at < 0 ? "" : attribute.slice(at + 1).trim();
    return attributeName !== "path" && attributeName !== "domain";
  });
  return [pair, ...kept, ` Path=${confinedPath(path, rules)}`].join(";");
}

/** A `Cookie` header without the cookie of that name; undefined when nothing is left of it. */
export function withoutCookie(header: string, name: string): string | undefined {
  if (!header.includes(name)) return header;
  const kept = header.split(";").filter((pair) => cookieNameOf(pair) !== name && pair.trim() !== "");
  return kept.length === 0 ? undefined : kept.join(";").trim();
}

function cookieNameOf(pair: string): string {
  const at = pair.indexOf("=");
  return at < 0 ? "" : pair.slice(0, at).trim();
}

/** Without `Path` a browser takes the request's folder, which of the base itself is the folder of all apps. */
function confinedPath(path: string, { base, stripsBase }: CookieRules): string {
  if (path === base || path.startsWith(`${base}/`)) return path;
  return stripsBase && path.startsWith("/") && path !== "/" ? base + path : base;
}
