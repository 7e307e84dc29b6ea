import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, test } from "node:test";
import { eventually } from "@appserver/testing/kit";
import { Echo, started } from "../../test/http-listener-fixture.ts";
import { deliveredBytes } from "../delivered-bytes.ts";
import type { HttpListener, RequestHandler } from "../index.ts";

const get = "GET /api/apps/a/b HTTP/1.1\r\nHost: h\r\n\r\n";

function client(listener: HttpListener): Socket {
  return connect(listener.address().port, "127.0.0.1").on("error", () => {});
}

/** A handler whose responses the test ends. `closed` has for each one whether it was finished. */
function held() {
  const open: Parameters<RequestHandler["handle"]>[1][] = [];
  const closed: boolean[] = [];
  const proxy: RequestHandler = {
    handle: (_request, response) => {
      open.push(response);
      response.onClose(() => closed.push(response.isFinished));
    },
  };
  return { proxy, open, closed };
}

describe("plain connections", { timeout: 30_000 }, () => {
  test("a connection that sends nothing is closed after the header timeout", async () => {
    const listener = await started({ plainPath: true, limits: { headersTimeoutMs: 100 }, proxy: new Echo() });
    await once(client(listener), "close");
    await listener.stop();
  });

  test("a connection without a request is closed after the idle timeout", async () => {
    const listener = await started({ plainPath: true, limits: { idleTimeoutMs: 100 }, proxy: new Echo() });
    const socket = client(listener);
    socket.write(get);
    const [bytes] = (await once(socket, "data")) as [Buffer];
    assert.match(bytes.toString(), /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\nKeep-Alive: timeout=0\r\n/);
    await once(socket, "close");
    await listener.stop();
  });

  for (const [what, leave] of [
    ["closes its side", (socket: Socket) => socket.end()],
    ["resets the connection", (socket: Socket) => socket.resetAndDestroy()],
  ] as const) {
    test(`a client that ${what} before its response ends the request`, async () => {
      const { proxy, open, closed } = held();
      const listener = await started({ plainPath: true, proxy });
      const socket = client(listener);
      socket.write(get);
      await eventually(() => open.length === 1);
      leave(socket);
      await eventually(() => closed.length === 1);
      assert.deepEqual(closed, [false]);
      open[0]?.writeHead(200, []);
      open[0]?.end("too late");
      await listener.stop();
    });

    test(`a client that ${what} within its response ends the request`, async () => {
      const { proxy, open, closed } = held();
      const listener = await started({ plainPath: true, proxy });
      const socket = client(listener);
      socket.write(get);
      await eventually(() => open.length === 1);
      open[0]?.writeHead(200, []);
      open[0]?.write(Buffer.from("half"));
      await once(socket, "data");
      leave(socket);
      await eventually(() => closed.length === 1);
      assert.deepEqual(closed, [false]);
      open[0]?.write(Buffer.from("too late"));
      open[0]?.end();
      await listener.stop();
    });
  }

  test("a response whose length is not the announced one ends the connection", async () => {
    const { proxy, open } = held();
    const listener = await started({ plainPath: true, proxy });
    const socket = client(listener);
    socket.write(get);
    await eventually(() => open.length === 1);
    open[0]?.writeHead(200, ["content-length", "10"]);
    open[0]?.end("four");
    await once(socket.resume(), "close");
    await listener.stop();
  });

  test("a header that would begin another line is refused, and another response can be sent", async () => {
    const { proxy, open } = held();
    const listener = await started({ plainPath: true, proxy });
    const socket = client(listener);
    socket.write(get);
    await eventually(() => open.length === 1);
    assert.throws(() => open[0]?.writeHead(200, ["a", "b\r\nc: d"]), RangeError);
    open[0]?.writeHead(502, ["content-length", "0"]);
    open[0]?.end();
    const [bytes] = (await once(socket, "data")) as [Buffer];
    assert.match(bytes.toString(), /^HTTP\/1\.1 502 Bad Gateway\r\ncontent-length: 0\r\n/);
    socket.destroy();
    await listener.stop();
  });

  test("a client that leaves after it has sent more is noticed", async () => {
    const { proxy, open, closed } = held();
    const listener = await started({ plainPath: true, proxy });
    const socket = client(listener);
    socket.write(get + get);
    await eventually(() => open.length === 1);
    socket.destroy();
    await eventually(() => closed.length === 1);
    assert.equal(open.length, 1);
    await listener.stop();
  });

  test("what a client sends while it waits is not read without end, and not for longer than the write timeout", async () => {
    const { proxy, open, closed } = held();
    const listener = await started({ plainPath: true, limits: { writeTimeoutMs: 300 }, proxy });
    const socket = client(listener);
    const size = 64 * 1024 * 1024;
    socket.write(get);
    await eventually(() => open.length === 1);
    socket.write(Buffer.alloc(size, "x"));
    let taken = 0;
    await eventually(() => {
      if (!socket.destroyed) taken = deliveredBytes(socket);
      return closed.length === 1;
    });
    // What the system holds is less than a half of it.
    assert.ok(taken < size / 2, `${taken} bytes`);
    await listener.stop();
  });

  test("a stop closes idle connections, and the others with their responses", async () => {
    const { proxy, open } = held();
    const listener = await started({ plainPath: true, proxy });
    const [idle, busy] = [client(listener), client(listener)];
    const received: string[] = [];
    busy.on("data", (bytes: Buffer) => received.push(bytes.toString()));
    busy.write(get);
    await eventually(() => open.length === 1);
    const closed = Promise.all([once(idle, "close"), once(busy, "close")]);
    const stopped = listener.stop();
    await once(idle, "close");
    open[0]?.writeHead(200, ["content-length", "4"]);
    open[0]?.end("done");
    await Promise.all([closed, stopped]);
    assert.match(received.join(""), /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\ndone$/);
  });
});
