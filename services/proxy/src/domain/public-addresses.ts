/** How callers reach what a backend names by its own addresses. */
export interface BackendAddresses {
  readonly upstream: {
    /** As the backend receives it, with a port unless that is the default one. */
    readonly host: string;
    /** Returns the path that the backend receives for the path of a request. */
    target(path: string): string;
  };
  /** What stands before the path that the backend receives: the base of the app, or nothing if it is not stripped. */
  readonly prefix: string;
  /** Whether the request was to the base itself. Without its slash, references that are relative lead to other apps. */
  readonly isBase: boolean;
}

/** Headers of responses with references to other resources. */
export const publicAddresses: ReadonlySet<string> = new Set(["location", "content-location", "link", "refresh"]);

/**
 * Returns the value of one of {@link publicAddresses} for callers: what names the backend's own origin or a path of it is moved
 * below the app's base (docs/interface/proxy.md#response-headers). References to other origins stay as they are.
 */
export function publicValue(name: string, value: string, backend: BackendAddresses): string {
  if (name === "link") return publicLinks(value, backend);
  if (name !== "refresh") return publicReference(value, backend);
  const start = refreshStart.exec(value)?.[0] ?? "";
  return start + publicReference(value.slice(start.length), backend);
}

/** Seconds, and what may stand before the reference (HTML, "shared declarative refresh steps"). */
const refreshStart = /^[\s\d.]*(?:[;,]\s*)?(?:url\s*=\s*)?['"]?/i;
const authority = /^(?:https?:)?\/\/([^/?#]*)/i;
const defaultPort = /:(?:80|443)$/;
const scheme = /^[a-z][a-z\d+.-]*:/i;

function publicReference(reference: string, backend: BackendAddresses): string {
  const found = authority.exec(reference);
  if (found) {
    if (!isHost(found[1] as string, backend.upstream.host)) return reference;
    const path = reference.slice(found[0].length);
    return publicPath(path.startsWith("/") ? path : `/${path}`, backend);
  }
  if (reference.startsWith("/")) return publicPath(reference, backend);
  const isRelative = reference !== "" && !reference.startsWith("?") && !reference.startsWith("#") && !scheme.test(reference);
  return isRelative && backend.isBase && backend.prefix !== "" ? `${backend.prefix}/${reference}` : reference;
}

/** The scheme does not count: behind a proxy that ends TLS, backends put `https` before their own host. */
function isHost(text: string, host: string): boolean {
  return text.toLowerCase().replace(defaultPort, "") === host.toLowerCase().replace(defaultPort, "");
}

function publicPath(path: string, { upstream, prefix }: BackendAddresses): string {
  if (prefix !== "" && isBelow(path, prefix)) return path;
  const root = upstream.target("/").slice(0, -1);
  const moved = prefix + (root !== "" && isBelow(path, root) ? path.slice(root.length) : path);
  // Two slashes would begin the name of another host.
  if (moved.startsWith("//")) return `/.${moved}`;
  return moved.startsWith("/") ? moved : `/${moved}`;
}

function isBelow(path: string, base: string): boolean {
  return path.startsWith(base) && (path.length === base.length || "/?#".includes(path.charAt(base.length)));
}

/** Moves each `<reference>` outside of quoted texts (RFC 8288 §3). */
function publicLinks(value: string, backend: BackendAddresses): string {
  let links = "";
  let copied = 0;
  for (let at = 0; at < value.length; at += 1) {
    const character = value[at];
    if (character === '"') at = endOfQuoted(value, at);
    if (character !== "<") continue;
    const end = value.indexOf(">", at);
    if (end < 0) break;
    links += value.slice(copied, at + 1) + publicReference(value.slice(at + 1, end), backend);
    copied = end;
    at = end;
  }
  return links + value.slice(copied);
}

/** Returns the position of the closing quote, or that behind the text. */
function endOfQuoted(value: string, start: number): number {
  let at = start + 1;
  while (at < value.length && value[at] !== '"') at += value[at] === "\\" ? 2 : 1;
  return at;
}
