import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { describe, test } from "node:test";
import { type TunnelFrame, TunnelFrameSchema, TunnelSignal } from "@appserver/contracts/proto/appserver/v2/development";
import {
  maxDataBytes,
  maxTunnelConnections,
  type TunnelConnection,
  TunnelConnections,
  windowBytes,
} from "@appserver/contracts/tunnels";
import { create } from "@bufbuild/protobuf";

const frame = (connection: number, content: TunnelFrame["content"]): TunnelFrame =>
  create(TunnelFrameSchema, { connection, content });
const signal = (connection: number, value: TunnelSignal) => frame(connection, { case: "signal", value });

/** Two sides, each of which receives what the other one sends, later. `sent` has the frames of the platform. */
function pair(onConnect: (connection: TunnelConnection) => void) {
  const sent: TunnelFrame[] = [];
  const platform = new TunnelConnections((each) => {
    sent.push(each);
    setImmediate(() => machine.receive(each));
  });
  const machine: TunnelConnections = new TunnelConnections(
    (each) => void setImmediate(() => platform.receive(each)),
    onConnect,
  );
  return { platform, machine, sent };
}

const failureOf = async (connection: TunnelConnection): Promise<unknown> => {
  const [error] = await once(connection, "error");
  return (error as NodeJS.ErrnoException).code;
};

/** docs/interface/proxy.md#developer-tunnels */
describe("the connections of a tunnel", () => {
  test("carry any number of bytes in both directions at once, and both ends", async () => {
    const { platform } = pair((connection) => connection.pipe(connection));
    await Promise.all(
      [0, 1, 65_536, 3_000_000].map(async (size) => {
        const bytes = randomBytes(size);
        const connection = platform.dial();
        connection.end(bytes);
        assert.ok((await buffer(connection)).equals(bytes), `${size} bytes`);
      }),
    );
  });

  test("a reader that does not read holds the writer after its window", async () => {
    const accepted = Promise.withResolvers<TunnelConnection>();
    const { platform, sent } = pair((connection) => accepted.resolve(connection));
    const connection = platform.dial();
    connection.end(randomBytes(1_000_000));
    const reader = await accepted.promise;
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    const bytes = sent.reduce((sum, { content }) => sum + (content.case === "data" ? content.value.length : 0), 0);
    assert.equal(bytes, windowBytes);
    assert.equal((await buffer(reader)).length, 1_000_000);
  });

  test("end on the other side with a code of sockets", async () => {
    const broken = pair((connection) => connection.destroy());
    assert.equal(await failureOf(broken.platform.dial()), "ECONNRESET");
    const refused = pair((connection) => connection.refuse());
    assert.equal(await failureOf(refused.platform.dial()), "ECONNREFUSED");
    const closed = pair(() => {});
    const open = closed.platform.dial();
    closed.platform.close();
    assert.equal(await failureOf(open), "ECONNRESET");
  });

  test("are a limited number", async () => {
    const { platform } = pair(() => {});
    for (let opened = 0; opened < maxTunnelConnections; opened++) platform.dial();
    assert.equal(await failureOf(platform.dial()), "ECONNREFUSED");
  });

  test("frames that keep no rule are refused", () => {
    const platform = new TunnelConnections(() => {});
    const data = (size: number) => frame(1, { case: "data", value: new Uint8Array(size) });
    platform.dial();
    assert.throws(() => platform.receive(signal(2, TunnelSignal.CONNECT)), /only the platform opens connections/);
    assert.throws(() => platform.receive(create(TunnelFrameSchema, { connection: 1 })), /needs a content/);
    assert.throws(() => platform.receive(data(maxDataBytes + 1)), /at most 65536 bytes, got 65537/);
    assert.throws(() => platform.receive(frame(1, { case: "credit", value: 1 })), /more credit came than data was sent/);
    for (let bytes = 0; bytes < windowBytes; bytes += maxDataBytes) platform.receive(data(maxDataBytes));
    assert.throws(() => platform.receive(data(1)), /data came without credit/);
    // Of a connection that is over, or never was.
    platform.receive(frame(7, { case: "data", value: new Uint8Array(1) }));
    const machine = new TunnelConnections(
      () => {},
      () => {},
    );
    machine.receive(signal(1, TunnelSignal.CONNECT));
    assert.throws(() => machine.receive(signal(1, TunnelSignal.CONNECT)), /connection 1 was opened before/);
    machine.receive(signal(1, TunnelSignal.END));
    assert.throws(() => machine.receive(data(1)), /data came after the end/);
  });
});
