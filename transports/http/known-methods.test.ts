import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { connect as connectTcp } from "node:net";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { metricCatalogue } from "@appserver/contracts/metrics";
import type { Logger } from "@appserver/kernel";
import { eventually, RecordingMetrics } from "@appserver/testing/kit";
import { Echo, started } from "../test/http-listener-fixture.ts";

interface Http2Answer {
  readonly status: number;
  readonly body: string;
}

async function call(session: ClientHttp2Session, headers: Readonly<Record<string, string>>): Promise<Http2Answer> {
  const stream = session.request(headers);
  stream.end();
  const closed = once(stream, "close");
  const [received] = (await once(stream, "response")) as [Record<string, unknown>];
  const body = await text(stream);
  await closed;
  return { status: Number(received[":status"]), body };
}

/** Sends bytes, and resolves with the response when the server closes the connection. */
async function callRaw(port: number, bytes: string): Promise<string> {
  const socket = connectTcp(port, "127.0.0.1");
  socket.write(bytes);
  return text(socket);
}

class CountingLogger implements Logger {
  lines = 0;
  debug(): void {
    this.lines += 1;
  }
  info(): void {
    this.lines += 1;
  }
  warn(): void {
    this.lines += 1;
  }
  error(): void {
    this.lines += 1;
  }
  child(): Logger {
    return this;
  }
}

/** Paths of each way that a request can take. */
const paths = ["/api/apps/a/b", "/apps/a/assets/b.js", "/apps/a/page/b", "/health", "/graphql", "/api/v2/apps", "/nowhere"];

describe("methods that HTTP does not define", () => {
  test("are 501 on HTTP/2, and reach no handler, metric or log line", async (context) => {
    const metrics = new RecordingMetrics();
    const logger = new CountingLogger();
    const echo = new Echo();
    const listener = await started({ proxy: echo, graphql: echo.graphql, rest: echo.rest, metrics, logger });
    const session = connect(`http://127.0.0.1:${listener.address().port}`);
    context.after(() => {
      session.destroy();
      return listener.stop();
    });
    const linesBefore = logger.lines;
    for (let number = 0; number < 100; number += 1) {
      const path = paths[number % paths.length] ?? "";
      const { status, body } = await call(session, { ":method": `X${number}${"A".repeat(1_000)}`, ":path": path });
      assert.equal(status, 501, path);
      assert.deepEqual(JSON.parse(body), {
        error: "the method of the request is not one that this server implements",
        code: "INVALID_REQUEST",
        details: {},
      });
    }
    assert.equal((await call(session, { ":method": "GET", ":path": "/api/apps/a/b" })).status, 200);
    assert.deepEqual(echo.received, ["/api/apps/a/b"]);
    await eventually(() => metrics.totals(metricCatalogue.httpRequests).length > 0);
    assert.deepEqual(
      metrics.totals(metricCatalogue.httpRequests).map(({ labels }) => labels["method"]),
      ["GET"],
    );
    assert.equal(logger.lines, linesBefore);
  });

  test("are 501 on HTTP/1.1, and what is no request line is 400", async (context) => {
    const listener = await started();
    context.after(() => listener.stop());
    const { port } = listener.address();
    for (const method of ["BREW", "get", "GETX", "G", "PROPFINDER"]) {
      const response = await callRaw(port, `${method} /health HTTP/1.1\r\nHost: h\r\n\r\n`);
      assert.match(response, /^HTTP\/1\.1 501 Not Implemented\r\n/, method);
    }
    for (const bytes of ["\x16\x03\x01\x02", "{}\r\n\r\n", " GET / HTTP/1.1\r\n\r\n"])
      assert.match(await callRaw(port, bytes), /^HTTP\/1\.1 400 /, JSON.stringify(bytes));
    const pipelined = await callRaw(port, "GET /health HTTP/1.1\r\nHost: h\r\n\r\nBREW / HTTP/1.1\r\n\r\n");
    assert.match(pipelined, /HTTP\/1\.1 501 /);
  });

  test("CONNECT is 501 on both", async (context) => {
    const listener = await started();
    const session = connect(`http://127.0.0.1:${listener.address().port}`);
    context.after(() => {
      session.destroy();
      return listener.stop();
    });
    const response = await callRaw(listener.address().port, "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n");
    assert.match(response, /^HTTP\/1\.1 501 Not Implemented\r\n.*\r\n\r\n\{"error"/s);
    assert.equal((await call(session, { ":method": "CONNECT", ":authority": "a.example:443" })).status, 501);
  });
});

test("methods that are rare in metrics have one label", async (context) => {
  const metrics = new RecordingMetrics();
  const listener = await started({ proxy: new Echo(), metrics });
  const session = connect(`http://127.0.0.1:${listener.address().port}`);
  context.after(() => {
    session.destroy();
    return listener.stop();
  });
  for (const method of ["GET", "PROPFIND", "MKCALENDAR", "TRACE", "DELETE"])
    await call(session, { ":method": method, ":path": "/api/apps/a/b" });
  const counts = (): unknown =>
    metrics.totals(metricCatalogue.httpRequests).map(({ labels, value }) => [labels["method"], value]);
  // A request is counted when its stream has closed on the server.
  await eventually(() => JSON.stringify(counts()).includes("DELETE"));
  assert.deepEqual(counts(), [
    ["GET", 1],
    ["other", 3],
    ["DELETE", 1],
  ]);
});
