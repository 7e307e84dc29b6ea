// The peer of the bench `subscriptions`: `ws` alone, which sends each text to all its clients. It answers only as much of
// graphql-transport-ws as the crowd needs to see its subscriptions started.
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";

/** `broadcast` with a text: send it to all. `collect`: collect the garbage. */
export type PeerCommand = { readonly kind: "broadcast"; readonly text: string } | { readonly kind: "collect" };

/** `at`: when it had done so, or began to send, in milliseconds since 1970. */
export type PeerReport = { readonly at: number };

const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
server.on("connection", (client) => {
  client.on("message", (data) => {
    const { type, id } = JSON.parse(String(data)) as { readonly type: string; readonly id?: string };
    if (type === "connection_init") client.send('{"type":"connection_ack"}');
    // The crowd's second operation, which ends at once.
    else if (id === "q") client.send('{"id":"q","type":"complete"}');
  });
});
server.once("listening", () => process.send?.((server.address() as AddressInfo).port));

process.on("message", (command: PeerCommand) => {
  const report = (at: number): void => void process.send?.({ at } satisfies PeerReport);
  if (command.kind === "broadcast") {
    const at = Date.now();
    for (const client of server.clients) client.send(command.text);
    report(at);
    return;
  }
  // The second collection frees what finalizers released after the first one.
  for (let n = 0; n < 2; n++) globalThis.gc?.();
  report(Date.now());
});
process.on("disconnect", () => process.exit());
