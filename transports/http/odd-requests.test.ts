import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import { connect as connectTcp } from "node:net";
import { describe, test } from "node:test";
import { Echo, started } from "../test/http-listener-fixture.ts";
import type { RequestHandler } from "./index.ts";

/** Sends bytes, and resolves with all received bytes when the server closes the connection. */
async function raw(port: number, text: string): Promise<string> {
  const socket = connectTcp(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk)).on("error", () => {});
  socket.write(text);
  await once(socket, "close");
  return Buffer.concat(chunks).toString();
}

describe("requests that name two hosts", () => {
  test("are refused on HTTP/1.1, upgrades too", async () => {
    const listener = await started({ proxy: new Echo() });
    const { port } = listener.address();
    for (const second of ["a.example", "b.example"]) {
      const hosts = `Host: a.example\r\nHost: ${second}\r\nConnection: close\r\n\r\n`;
      assert.match(await raw(port, `GET /health HTTP/1.1\r\n${hosts}`), /^HTTP\/1\.1 400 /);
      assert.match(await raw(port, `GET /api/apps/a/b HTTP/1.1\r\n${hosts}`), /^HTTP\/1\.1 400 /);
      const upgrade = `Host: a.example\r\nhOST: ${second}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
      assert.match(await raw(port, `GET /api/apps/a/b HTTP/1.1\r\n${upgrade}`), /^HTTP\/1\.1 400 /);
    }
    await listener.stop();
  });

  test("are refused on HTTP/2 unless :authority and host are equal", async () => {
    const listener = await started();
    const session = connect(`http://127.0.0.1:${listener.address().port}`);
    for (const [host, status] of [
      ["a.example", 200],
      ["b.example", 400],
    ] as const) {
      const stream = session.request({ ":path": "/health", ":authority": "a.example", host });
      const [headers] = await once(stream, "response");
      assert.equal(headers[":status"], status, host);
      stream.resume();
    }
    session.close();
    await listener.stop();
  });
});

describe("header sections of HTTP/2", () => {
  test("may have a thousand fields, and cookies in separate fields are one header", async (context) => {
    const seen: { fields: number; cookie: string | undefined }[] = [];
    const handler: RequestHandler = {
      handle: (request, response) => {
        seen.push({ fields: request.fields.length / 2, cookie: request.header("cookie") });
        response.writeHead(204, []);
        response.end();
      },
    };
    const listener = await started({ proxy: handler });
    const session = connect(`http://127.0.0.1:${listener.address().port}`);
    context.after(() => {
      session.destroy();
      return listener.stop();
    });
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`x-${index}`, "v"]));
    const stream = session.request({ ":path": "/api/apps/a/b", cookie: ["a=1", "b=2", "c=3"], ...many });
    const [headers] = await once(stream, "response");
    assert.equal(headers[":status"], 204);
    assert.ok((seen[0]?.fields ?? 0) > 1_000);
    assert.equal(seen[0]?.cookie, "a=1; b=2; c=3");
    const tooMany = Object.fromEntries(Array.from({ length: 2_500 }, (_, index) => [`x-${index}`, "v"]));
    const refused = session.request({ ":path": "/api/apps/a/b", ...tooMany });
    refused.on("error", () => {});
    await new Promise((resolve) => refused.once("close", resolve));
    assert.notEqual(refused.rstCode, 0);
  });
});

describe("a client of HTTP/1.1 that stops reading", { timeout: 20_000 }, () => {
  for (const [what, pieces, bytes] of [
    ["many pieces", 1_600, 65_536],
    ["one large piece", 1, 100 * 1024 * 1024],
  ] as const) {
    test(`is disconnected one write timeout after it read the last byte, not two: ${what}`, async () => {
      const writeTimeoutMs = 3_000;
      const cutOff = Promise.withResolvers<number>();
      const handler: RequestHandler = {
        handle: (_request, response) => {
          response.writeHead(200, []);
          response.onClose(() => cutOff.resolve(performance.now()));
          for (let piece = 0; piece < pieces; piece += 1) response.write(Buffer.alloc(bytes));
        },
      };
      const listener = await started({ limits: { writeTimeoutMs }, proxy: handler });
      const socket = connectTcp(listener.address().port, "127.0.0.1");
      socket.on("error", () => {});
      socket.write("GET /api/apps/a/b HTTP/1.1\r\nHost: h\r\n\r\n");
      let last = 0;
      // The client reads for a part of the timeout, so that bytes have moved since Node's own timer was set.
      const until = performance.now() + 150;
      socket.on("data", () => {
        last = performance.now();
        socket.pause();
        if (last < until) setTimeout(() => socket.resume(), 20);
      });
      const waited = (await cutOff.promise) - last;
      assert.ok(waited > 0.5 * writeTimeoutMs && waited < 1.5 * writeTimeoutMs, `${Math.round(waited)} ms`);
      socket.destroy();
      await listener.stop();
    });
  }
});
