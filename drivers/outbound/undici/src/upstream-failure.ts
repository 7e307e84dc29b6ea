import type { UpstreamFailure } from "@appserver/kernel/ports";

/** The backend closed the connection before its response was complete. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
  readonly code = "ECONNRESET";

  constructor(message = "the backend closed the connection") {
    super(message);
  }
}

const unreachable: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
]);
const reset: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE"]);

/** Returns the failure of a call whose connection, response or body failed. */
export function failureOf(cause: unknown): UpstreamFailure {
  const code = codeOf(cause);
  if (code === "ADDRESS_DENIED") return { kind: "denied", cause };
  if (code === "REQUEST_BODY") return { kind: "body", cause };
  if (unreachable.has(code)) return { kind: "unreachable", cause };
  return { kind: reset.has(code) ? "reset" : "protocol", cause };
}

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return String(error.code);
}
