import type { Document } from "@appserver/contracts/graphql/document";
import { createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { dataOf, type Result } from "./client.ts";
import type { GlobalOptions } from "./global-options.ts";
import { credentialsFor } from "./http.ts";
import { Refusal, Unreachable } from "./refusal.ts";
import { sleep } from "./sleep.ts";

/** Pause before another connection. */
export const reconnectEveryMs = 1_000;
/** How long a lost connection is tried again. */
export const reconnectForMs = 60_000;

const pingEveryMs = 10_000;
/** The connection to a server that does not respond to a ping in this time is lost. */
const pongWithinMs = 10_000;

/**
 * Yields the results of a subscription until the platform ends it, or the signal aborts. Rejects with {@link Refusal}, or with
 * {@link Unreachable} if the connection was lost: the caller may subscribe again.
 */
export async function* follow<Data, Variables extends object>(
  options: GlobalOptions,
  document: Document<Data, Variables>,
  variables: Variables,
  signal: AbortSignal = new AbortController().signal,
): AsyncGenerator<Data> {
  const url = new URL("/graphql", options.http);
  url.protocol = url.protocol.replace("http", "ws");
  let failure: Error | undefined;
  let pong: AbortController | undefined;
  const client = createClient({
    url: url.href,
    webSocketImpl: class extends WebSocket {
      constructor(address: string, protocols: string[]) {
        super(address, protocols, credentialsFor(options, url));
        this.once("error", (error) => (failure = error));
      }
    },
    retryAttempts: 0,
    keepAlive: pingEveryMs,
    on: {
      ping: (received) => {
        if (received) return;
        pong = new AbortController();
        sleep(pongWithinMs, undefined, { signal: pong.signal }).then(
          () => client.terminate(),
          () => {},
        );
      },
      pong: () => pong?.abort(),
    },
  });
  const results = client.iterate<Data>({ query: document, variables: variables as Record<string, unknown> });
  const end = (): void => void results.return?.();
  signal.addEventListener("abort", end, { once: true });
  try {
    if (signal.aborted) return;
    for await (const result of results) yield dataOf(result as Result<Data>);
  } catch (error) {
    if (signal.aborted) return;
    throw failureOf(error, failure, options.http);
  } finally {
    pong?.abort();
    signal.removeEventListener("abort", end);
    await client.dispose();
  }
}

/** The codes with which a server refuses a connection, whatever is asked over it. */
const refusals: Readonly<Record<number, string>> = {
  4400: "INVALID_REQUEST",
  4401: "AUTHENTICATION_REQUIRED",
  4403: "PERMISSION_DENIED",
  4429: "RATE_LIMIT_EXCEEDED",
};

/** Returns what ended a subscription: the errors of an operation, the end of the connection, or its failure. */
function failureOf(error: unknown, failure: Error | undefined, http: string): Error {
  if (error instanceof Refusal) return error;
  if (Array.isArray(error)) {
    const [{ message, extensions }] = error as [{ message: string; extensions?: object }];
    return Refusal.ofGraphql({ ...extensions, message });
  }
  const { code, reason } = error as { readonly code?: number; readonly reason?: string };
  const refusal = refusals[code ?? 0];
  if (refusal !== undefined)
    return Refusal.ofGraphql({ message: reason || "the platform refused the connection", code: refusal });
  return new Unreachable(http, failure ?? new Error(reason || "the connection was lost"));
}

/** Returns whether the connection was lost or the server stopped: no refusal. */
export function isLost(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof Refusal && error.code === "SERVICE_UNAVAILABLE");
}
