import assert from "node:assert/strict";
import { type ClientHttp2Stream, connect } from "node:http2";
import { connect as connectTcp } from "node:net";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { AppError, BufferBudget, SystemClock, silentLogger, silentMetrics, silentTracer } from "@appserver/kernel";
import { eventually } from "@appserver/testing/kit";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { HealthChecks, Origins } from "../http/index.ts";
import { anyCaller } from "../test/call-admission.ts";
import { grpcOptions } from "../test/listener-options.ts";
import { createGrpcListener, type GrpcListener, grpcService } from "./index.ts";

const clock = new SystemClock();
const limits = { ...grpcOptions().limits, readTimeoutMs: 1_500, idleTimeoutMs: 2_500 };
const mebibyte = 1024 * 1024;

/** Starts a listener that admits by `authorization`: anonymous, `little` (1 kB), `much`, or refused. */
async function started(budget: BufferBudget): Promise<GrpcListener> {
  const listener = createGrpcListener({
    ...grpcOptions(),
    host: "127.0.0.1",
    port: 0,
    services: [
      grpcService(MarketplaceService, {
        getApp: ({ name }) => ({ app: { name: String(name.length) } }),
        registerAppStream: async (requests) => {
          let count = 0;
          for await (const _ of requests) count += 1;
          return { app: { name: String(count) } };
        },
      }),
    ],
    authenticate: ({ headers }) => {
      const token = headers.get("authorization");
      if (token === null) throw new AppError("AUTHENTICATION_REQUIRED", "who is it?");
      return { ...anyCaller, isProven: token === "known", ...(token === "little" && { maxMessageBytes: 1_000 }) };
    },
    reauthentication: () => () => {},
    connections: { join: () => () => {} },
    health: new HealthChecks({ checks: [], clock, version: "0.1.0" }),
    origins: new Origins([]),
    logger: silentLogger,
    metrics: silentMetrics,
    tracer: silentTracer,
    clock,
    limits,
    budget,
    reflection: true,
  });
  await listener.start();
  return listener;
}

describe("a call is judged before its message is read", () => {
  const budget = new BufferBudget({ totalBytes: 4 * mebibyte, unprovenBytes: 2 * mebibyte });
  let listener: GrpcListener;
  let baseUrl: string;
  before(async () => {
    listener = await started(budget);
    baseUrl = `http://127.0.0.1:${listener.address().port}`;
  });
  after(() => listener.stop());

  const open = (path: string, headers: Record<string, string> = {}) => {
    const session = connect(baseUrl);
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
      ...headers,
    });
    stream.on("error", () => {});
    const status = new Promise<string>((resolve) => {
      stream.on("response", (head) => head["grpc-status"] !== undefined && resolve(String(head["grpc-status"])));
      stream.on("trailers", (trailers) => resolve(String(trailers["grpc-status"])));
      stream.on("close", () => resolve(`closed ${stream.rstCode}`));
    });
    stream.resume();
    return { stream, status, end: () => session.destroy() };
  };
  const getApp = "/appserver.v2.MarketplaceService/GetApp";
  const registerStream = "/appserver.v2.MarketplaceService/RegisterAppStream";
  /** Sends as fast as the server reads, up to this many bytes. */
  const flood = async (stream: ClientHttp2Stream, bytes: number): Promise<number> => {
    let sent = 0;
    while (sent < bytes && !stream.destroyed) {
      sent += 16_384;
      if (!stream.write(Buffer.alloc(16_384)))
        await Promise.race([new Promise((go) => stream.once("drain", go)), clock.sleep(100)]);
    }
    return sent;
  };
  const envelope = (length: number, flag = 0): Buffer => {
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(length, 1);
    prefix[0] = flag;
    return prefix;
  };
  const codeOf = (call: Promise<unknown>): Promise<Code | undefined> =>
    call.then(
      () => undefined,
      (error: unknown) => ConnectError.from(error).code,
    );

  test("an anonymous caller is refused while its message is still incomplete, and nothing is buffered", async () => {
    const { stream, status, end } = open(getApp);
    stream.write(envelope(50 * mebibyte));
    assert.equal(await status, String(Code.Unauthenticated));
    assert.equal(budget.usedBytes, 0);
    end();
  });

  test("a message beyond the caller's limit is refused by its size, inflated or not, in every protocol", async () => {
    for (const transport of [
      createGrpcTransport({ baseUrl }),
      createConnectTransport({ baseUrl, httpVersion: "1.1" }),
      createConnectTransport({ baseUrl, httpVersion: "2", useBinaryFormat: true }),
    ]) {
      const client = createClient(MarketplaceService, transport);
      const headers = { authorization: "little" };
      assert.equal((await client.getApp({ name: "x".repeat(900) }, { headers })).app?.name, "900");
      assert.equal(await codeOf(client.getApp({ name: "x".repeat(2_000) }, { headers })), Code.ResourceExhausted);
    }
    const bomb = gzipSync(Buffer.alloc(500_000));
    const { stream, status, end } = open(getApp, { authorization: "little", "grpc-encoding": "gzip" });
    stream.end(Buffer.concat([envelope(bomb.length, 1), bomb]));
    assert.equal(await status, String(Code.ResourceExhausted));
    end();
  });

  test("unfinished calls use no more than the budget, and no longer than the read timeout", async () => {
    const calls = Array.from({ length: 8 }, () => open(getApp, { authorization: "unproven" }));
    await Promise.all(
      calls.map(({ stream }) => {
        stream.write(envelope(mebibyte));
        return flood(stream, 300_000);
      }),
    );
    // One client gets a quarter of what unproven callers may hold.
    assert.ok(budget.usedBytes <= mebibyte / 2, String(budget.usedBytes));
    const known = createClient(MarketplaceService, createGrpcTransport({ baseUrl }));
    const headers = { authorization: "known" };
    assert.equal((await known.getApp({ name: "x".repeat(mebibyte) }, { headers })).app?.name, String(mebibyte));
    const codes = new Set(await Promise.all(calls.map(({ status }) => status)));
    assert.deepEqual([...codes].sort(), [String(Code.DeadlineExceeded), String(Code.ResourceExhausted)].sort());
    for (const { end } of calls) end();
    await eventually(() => assert.equal(budget.usedBytes, 0));
  });

  test("a slow unary call over HTTP/1.1 is ended too", async () => {
    const socket = connectTcp(listener.address().port, "127.0.0.1");
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => {}).resume();
    const lines = [
      `POST ${getApp} HTTP/1.1`,
      "Host: h",
      "Authorization: unproven",
      "Content-Type: application/proto",
      "Content-Length: 1000",
    ];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    const drip = setInterval(() => socket.write("\0"), 50);
    await closed;
    clearInterval(drip);
  });

  test("a client stream that pauses, or whose message arrives too slowly, is ended", async () => {
    const paused = open(registerStream, { authorization: "known" });
    paused.stream.write(Buffer.concat([envelope(0), envelope(0)]));
    assert.equal(await paused.status, String(Code.DeadlineExceeded));
    paused.end();
    const dripping = open(registerStream, { authorization: "known" });
    dripping.stream.write(envelope(10_000));
    const drip = setInterval(() => dripping.stream.write("x"), 50);
    assert.equal(await dripping.status, String(Code.DeadlineExceeded));
    clearInterval(drip);
    dripping.end();
  });

  test("a stream's message is refused by its announced length, and an anonymous caller's compressed one by its flag", async () => {
    const large = open(registerStream, { authorization: "little" });
    large.stream.write(envelope(1_001));
    assert.equal(await large.status, String(Code.ResourceExhausted));
    large.end();
    const packed = open(registerStream, { authorization: "unproven", "grpc-encoding": "gzip" });
    packed.stream.write(envelope(20, 1));
    assert.equal(await packed.status, String(Code.ResourceExhausted));
    packed.end();
  });

  test("a refused stream is reset although its client does not end it", { timeout: 10_000 }, async () => {
    const { stream, status, end } = open(registerStream, { authorization: "little" });
    const closed = new Promise((resolve) => stream.once("close", () => resolve(stream.rstCode)));
    stream.write(envelope(1_001));
    // More than the server reads: it waits for the flow control of HTTP/2.
    stream.write(Buffer.alloc(mebibyte));
    assert.equal(await status, String(Code.ResourceExhausted));
    assert.equal(await closed, 0, "NO_ERROR");
    end();
  });

  test("tens of thousands of tiny messages do not block other work", async () => {
    const { stream, status, end } = open(registerStream, { authorization: "known" });
    const messages = Buffer.alloc(5 * 40_000);
    let worst = 0;
    let last = performance.now();
    const watch = setInterval(() => {
      worst = Math.max(worst, performance.now() - last - 5);
      last = performance.now();
    }, 5);
    stream.end(messages);
    assert.equal(await status, "0");
    clearInterval(watch);
    assert.ok(worst < 500, `${worst} ms`);
    end();
  });
});
