import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { Duplex } from "node:stream";
import { test } from "node:test";
import { RequestStream } from "./request-stream.ts";

const body = { read: () => {}, pause: () => {}, resume: () => {}, stop: () => {} };
const keeps = (socket: Duplex) => new RequestStream(body, socket, 10, () => {}).onData(Buffer.from("abc"));

test("a stream that has accepted a chunk may send it later, and so keeps it", () => {
  const accepting = new Duplex({ read: () => {}, write: (_chunk, _encoding, accepted) => accepted() });
  assert.equal(keeps(accepting), true);
});

test("a socket keeps a chunk until it has given it to the system", async (context) => {
  const server = createServer((accepted) => accepted.resume()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  context.after(() => {
    socket.destroy();
    server.close();
  });
  assert.equal(keeps(socket), true, "while it connects");
  await once(socket, "connect");
  await new Promise(setImmediate);
  assert.equal(keeps(socket), false);
});
