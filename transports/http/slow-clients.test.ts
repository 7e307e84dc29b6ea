import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import { connect as connectTcp, type Socket } from "node:net";
import { describe, test } from "node:test";
import { SystemClock } from "@appserver/kernel";
import { Echo, started } from "../test/http-listener-fixture.ts";
import type { RequestHandler } from "./index.ts";

const clock = new SystemClock();

/** Writes the pieces one by one until the server has closed the connection. Resolves with the number that it did not write. */
async function leftWhenCutOff(port: number, pieces: readonly string[], everyMs: number): Promise<number> {
  const socket: Socket = connectTcp(port, "127.0.0.1");
  socket.on("error", () => {}).resume();
  const closed = new Promise((resolve) => socket.once("close", resolve));
  let left = pieces.length;
  for (const piece of pieces) {
    if (socket.destroyed) break;
    socket.write(piece);
    left -= 1;
    await clock.sleep(everyMs);
  }
  await closed;
  return left;
}

describe("slow clients", { timeout: 20_000 }, () => {
  test("a client that sends headers too slowly is disconnected, although it keeps sending", async () => {
    const listener = await started({ limits: { headersTimeoutMs: 200 } });
    const drops = ["GET /health HTTP/1.1\r\n", "Host: h\r\n", ...Array.from({ length: 400 }, () => "X-A: b\r\n")];
    assert.ok((await leftWhenCutOff(listener.address().port, drops, 25)) > 0);
    await listener.stop();
  });

  test("a client that sends a body too slowly is disconnected on HTTP/1.1", async () => {
    const listener = await started({ limits: { headersTimeoutMs: 100, readTimeoutMs: 200 }, proxy: new Echo() });
    const head = "POST /api/apps/a/b HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n";
    const pieces = [head, ...Array.from({ length: 400 }, () => "x")];
    assert.ok((await leftWhenCutOff(listener.address().port, pieces, 25)) > 0);
    await listener.stop();
  });

  test("a stream with a body that arrives too slowly is closed on HTTP/2, other streams of the connection are not", async () => {
    const listener = await started({ limits: { readTimeoutMs: 200 }, proxy: new Echo() });
    const session = connect(`http://127.0.0.1:${listener.address().port}`);
    const slow = session.request({ ":method": "POST", ":path": "/api/apps/a/b" });
    const failed = new Promise((resolve) => slow.once("close", resolve));
    slow.on("error", () => {});
    const drip = setInterval(() => slow.write("x"), 25);
    await failed;
    clearInterval(drip);
    assert.equal(slow.rstCode, 8, "CANCEL");
    const quick = session.request({ ":path": "/health" });
    const [headers] = await once(quick, "response");
    assert.equal(headers[":status"], 200);
    quick.resume();
    session.close();
    await listener.stop();
  });

  test("a client that does not read a response on HTTP/2 loses the stream, although it sends pings", async () => {
    const endless: RequestHandler = {
      handle: (_request, response) => {
        response.writeHead(200, []);
        const fill = (): void => {
          while (response.write(Buffer.alloc(65_536)));
        };
        response.onDrain(fill);
        fill();
      },
    };
    const listener = await started({ limits: { writeTimeoutMs: 200 }, proxy: endless });
    const session = connect(`http://127.0.0.1:${listener.address().port}`);
    const stream = session.request({ ":path": "/api/apps/a/b" });
    const pings = setInterval(() => session.ping(() => {}), 50);
    stream.on("error", () => {});
    const closed = new Promise((resolve) => stream.once("close", resolve));
    await once(stream, "response");
    // The client reads nothing, so the window stays full.
    stream.pause();
    await closed;
    clearInterval(pings);
    assert.equal(stream.rstCode, 8, "CANCEL");
    session.close();
    await listener.stop();
  });

  test("streams end when the client closes an HTTP/2 connection on which it was still sending", async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    const waiting: RequestHandler = {
      handle: (request, response) => {
        response.onClose(close);
        request.body?.read({ onData: () => false, onEnd: () => {}, onError: () => {} });
        open();
      },
    };
    const listener = await started({ proxy: waiting });
    const session = connect(`http://127.0.0.1:${listener.address().port}`);
    const stream = session.request({ ":method": "POST", ":path": "/api/apps/a/b" });
    stream.on("error", () => {});
    stream.write("x");
    await opened;
    // Without RST_STREAM, like a client that was killed.
    session.destroy();
    await closed;
    await listener.stop();
  });

  test("a header timeout that is longer than the read timeout is shortened, not refused", async () => {
    const listener = await started({ limits: { readTimeoutMs: 5_000, headersTimeoutMs: 15_000 } });
    await listener.stop();
  });

  test("a silent response is not closed, on HTTP/2 and on HTTP/1.1", async () => {
    const silent: RequestHandler = {
      handle: async (_request, response) => {
        response.writeHead(200, []);
        response.flushHead();
        await clock.sleep(600);
        response.end("at last");
      },
    };
    const listener = await started({ limits: { writeTimeoutMs: 100 }, proxy: silent });
    const session = connect(`http://127.0.0.1:${listener.address().port}`);
    const stream = session.request({ ":path": "/api/apps/a/b" });
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    assert.equal(Buffer.concat(chunks).toString(), "at last");
    session.close();
    await listener.stop();
  });
});
