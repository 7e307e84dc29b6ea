import { createClient } from "graphql-ws";
import type { ClientOptions, SocketClient } from "./client-session.ts";

/** A client of the library graphql-ws, which connects again with its own pauses. */
export function modernClient({ url, connectionParams, webSocket }: ClientOptions): SocketClient {
  const client = createClient({
    url,
    connectionParams,
    webSocketImpl: webSocket,
    retryAttempts: Number.POSITIVE_INFINITY,
    // By default it gives up when a connection is refused, as by a server that has not started yet.
    shouldRetry: () => true,
  });
  return {
    subscribe: (operation, sink) => client.subscribe(operation, sink),
    close: () => void client.dispose(),
  };
}
