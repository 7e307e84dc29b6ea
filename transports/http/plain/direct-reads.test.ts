import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { DirectReads } from "./direct-reads.ts";

/** Returns both ends of a connection, that of the server as it was accepted. */
async function connection(context: TestContext): Promise<{ client: Socket; accepted: Socket }> {
  const server = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [accepted] = (await once(server, "connection")) as [Socket];
  context.after(() => {
    client.destroy();
    accepted.destroy();
    server.close();
  });
  return { client, accepted };
}

/** Reads directly, into one memory. */
function reading(socket: Socket) {
  const memory = Buffer.alloc(1_024);
  const read: string[] = [];
  const { promise: arrived, resolve } = Promise.withResolvers<void>();
  const reads = DirectReads.begin(
    socket,
    () => memory,
    (bytes) => {
      assert.equal(bytes.buffer, memory.buffer, "the bytes are in the given memory");
      read.push(bytes.toString());
      resolve();
      return true;
    },
  );
  assert.ok(reads, "an accepted socket of this Node reads directly: see what has replaced the fields of `onread`");
  return { reads, read, arrived };
}

test("an accepted socket reads into the memory of its reader, and emits nothing", async (t) => {
  const { client, accepted } = await connection(t);
  const { read, arrived } = reading(accepted);
  client.end("one");
  await Promise.all([arrived, once(accepted, "end")]);
  assert.deepEqual(read, ["one"]);
});

test("afterwards, the socket is an ordinary stream with bytes of its own, in the pace of its reader", async (t) => {
  const { client, accepted } = await connection(t);
  const { reads, read, arrived } = reading(accepted);
  client.write("direct");
  await arrived;
  reads.end();
  accepted.unshift("given back ");
  const sent = "x".repeat(1_000_000);
  client.end(sent);
  // Read when it is readable: more than the stream holds must wait in the system, and none of it is lost.
  await new Promise(setImmediate);
  const chunks: Buffer[] = [];
  for await (const chunk of accepted as AsyncIterable<Buffer>) chunks.push(chunk);
  assert.equal(Buffer.concat(chunks).toString(), `given back ${sent}`);
  assert.deepEqual(read, ["direct"]);
});
