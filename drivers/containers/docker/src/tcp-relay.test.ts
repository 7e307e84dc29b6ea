import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { TcpRelay } from "./tcp-relay.ts";

const host = "127.0.0.1";

test("forwards everything in both directions, also after the client has ended its side, and stops with open connections", async (t) => {
  const target = createServer({ allowHalfOpen: true }, (socket) => {
    const received: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => received.push(chunk));
    socket.on("end", () => socket.end(Buffer.concat(received)));
  });
  await once(target.listen(0, host), "listening");
  t.after(() => target.close());
  const port = await freePort();
  const relay = new TcpRelay({ host, port }, { host, port: (target.address() as AddressInfo).port });
  await relay.start();
  const sent = Buffer.alloc(4 * 1024 * 1024, "appserver");
  const client = connect({ host, port, allowHalfOpen: true });
  client.end(sent);
  assert.ok(sent.equals(await buffer(client)));
  const idle = connect(port, host);
  await once(idle, "connect");
  const closed = once(idle, "close");
  await relay.stop();
  await closed;
});

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, host), "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
