/** The paths of the sign-in of programs that run language models (docs/interface/mcp.md#consent). */
export const agentPaths = {
  authorize: "/oauth/agents/authorize",
  consent: "/oauth/agents/consent",
  register: "/oauth/agents/register",
  revoke: "/oauth/agents/revoke",
  token: "/oauth/agents/token",
  /** RFC 9728. */
  resource: "/.well-known/oauth-protected-resource/mcp",
  /** RFC 8414. */
  server: "/.well-known/oauth-authorization-server",
} as const;

/** Reading, and all that the person may do. */
export const agentScopes = ["read", "act"] as const;

const loopback = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

/**
 * Returns the origin of which programs get tokens: that which the operator has named. Without one only this machine has tokens, because another
 * name of a request is not proven. Undefined: none.
 */
export function agentOrigin(publicOrigin: string | undefined, origins: readonly string[] = []): string | undefined {
  return publicOrigin ?? origins.find((each) => loopback.test(each));
}

/** Returns the resource of which tokens are (RFC 8707). */
export function agentResource(origin: string): string {
  return `${origin}/mcp`;
}
