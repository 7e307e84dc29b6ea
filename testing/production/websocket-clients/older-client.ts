import { createRequire } from "node:module";
import { join } from "node:path";
import { installPackage } from "../../kit/install-package.ts";
import type { ClientOptions, Operation, Sink, SocketClient } from "./client-session.ts";

/** A package of its own, because this library needs an older `graphql` than the platform. */
const folder = join(import.meta.dirname, "subscriptions-transport-ws");

/** What is used of the library. */
interface SubscriptionsTransportWs {
  readonly SubscriptionClient: new (
    url: string,
    options: { readonly reconnect: boolean; readonly connectionParams: ClientOptions["connectionParams"] },
    webSocketImpl: ClientOptions["webSocket"],
  ) => {
    request(operation: Operation): { subscribe(sink: Sink): { unsubscribe(): void } };
    close(): void;
  };
}

/** A client of the library subscriptions-transport-ws, which connects again with its own pauses. Installs it at its first use. */
export function olderClient({ url, connectionParams, webSocket }: ClientOptions): SocketClient {
  installPackage(folder);
  const { SubscriptionClient } = createRequire(join(folder, "package.json"))(
    "subscriptions-transport-ws",
  ) as SubscriptionsTransportWs;
  const client = new SubscriptionClient(url, { reconnect: true, connectionParams }, webSocket);
  return {
    subscribe: (operation, sink) => {
      const subscription = client.request(operation).subscribe(sink);
      return () => subscription.unsubscribe();
    },
    close: () => client.close(),
  };
}
