import type { UpstreamFailure } from "@appserver/kernel/ports";

/** The backend closed the connection before its response was complete. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
  readonly code = "ECONNRESET";

  constructor(message = "the backend closed the connection") {
    super(message);
  }
}

/** How an established connection ends early. */
const reset: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"]);
/** What this process has too few of. */
const exhausted: ReadonlySet<string> = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EADDRNOTAVAIL", "EADDRINUSE"]);

/** Returns the failure of a call whose connection, response or body failed. */
export function failureOf(cause: unknown): UpstreamFailure {
  const code = codeOf(cause);
  if (code === "REQUEST_BODY") return { kind: "body", cause };
  return { kind: reset.has(code) ? "reset" : "protocol", cause };
}

/** Returns the failure of a call that got no connection: refused, unresolved, without TLS, or not in time. */
export function failureToConnect(cause: unknown): UpstreamFailure {
  const code = codeOf(cause);
  if (code === "ADDRESS_DENIED") return { kind: "denied", cause };
  return { kind: exhausted.has(code) ? "unsent" : "unreachable", cause };
}

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return String(error.code);
}
