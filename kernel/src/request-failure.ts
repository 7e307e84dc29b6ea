/** Codes of Node and undici, with their plain descriptions. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EPIPE: "connection reset",
  UND_ERR_SOCKET: "connection closed before a response",
  ENOTFOUND: "the host name does not resolve",
  EAI_AGAIN: "the host name does not resolve now",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
};

/** Returns why an HTTP request got no response, in a few words. `timeoutMs` is the limit of the request. */
export function requestFailure(error: unknown, timeoutMs: number): string {
  if (error instanceof Error && error.name === "TimeoutError") return `no response within ${timeoutMs / 1_000} s`;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const known = "code" in cause ? words[String(cause.code)] : undefined;
    if (known !== undefined) return known;
    if (cause instanceof AggregateError && cause.errors.length > 0) return requestFailure(cause.errors[0], timeoutMs);
    if (!(cause.cause instanceof Error)) return cause.message;
  }
  return String(error);
}
