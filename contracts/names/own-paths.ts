/**
 * The first segments of the paths that the platform serves itself, and of those that browsers and crawlers ask for by themselves. The HTTP
 * listener refuses to start with a path that is missing here, and no app may have pages below one of them.
 */
const ownSegments: ReadonlySet<string> = new Set([
  "api",
  "apps",
  "assets",
  "branding",
  "cli",
  "console",
  "dev",
  "docs",
  "favicon.ico",
  "graphql",
  "health",
  "llms.txt",
  "login",
  "mcp",
  "metrics",
  "oauth",
  "playground",
  "pypi",
  "ready",
  "robots.txt",
  "schemas",
  "scim",
  "sdk",
  "self-service",
  "v2",
]);

/**
 * Returns whether a path belongs to the platform, in whatever way a browser or a router may read its first segment: in another case, with
 * encoded or with compatible characters. Segments that begin with a dot, such as `.well-known`, belong to it, too, and those that name a
 * service of gRPC.
 */
export function isOwnPath(path: string): boolean {
  const segment = plain(/^\/([^/?#]*)/.exec(path)?.[1] ?? "");
  return ownSegments.has(segment) || /^(?:\.|appserver\.|grpc\.)/.test(segment);
}

/** Returns whether a path is that of a method of gRPC: `/appserver.v2.HooksService/TriggerHook`, `/grpc.health.v1.Health/Check`. */
export function isCallPath(path: string): boolean {
  return /^\/(?:appserver|grpc)\.[\w.]+\/\w+$/.test(path);
}

/** The first segments that belong to the platform, for messages and documents. */
export const ownPathSegments: readonly string[] = [...ownSegments];

function plain(segment: string): string {
  let decoded = segment;
  try {
    decoded = decodeURIComponent(segment);
  } catch {
    // Not an encoded text: it stays as it is.
  }
  return decoded.normalize("NFKC").toLowerCase();
}
