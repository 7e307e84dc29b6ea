import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { connect as connectHttp2, createServer as createHttp2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { newTraceparent } from "@appserver/kernel";
import { NodeRequest, NodeResponse } from "@appserver/transports/http";
import { app, route, TestProxy } from "./fakes.ts";

/** More than all buffers on the way hold. */
const size = 24 * 1024 * 1024;
const bodies = Array.from({ length: 4 }, () => randomBytes(size));
const digests = bodies.map((body) => createHash("sha256").update(body).digest("hex"));

/** A backend that sends the body with the number of the path, counted below `/counted`, else in chunks; and the digest of what it gets. */
async function scene(context: TestContext): Promise<TestProxy> {
  const proxy = new TestProxy();
  context.after(() => proxy.stop());
  const url = await proxy.upstream((request, response) => {
    if (request.method === "POST") {
      void digestOf(request, 0).then((digest) => response.end(digest));
      return;
    }
    const [, how, number = "0"] = (request.url ?? "").split("/");
    const body = bodies[Number(number)] ?? Buffer.alloc(0);
    if (how === "counted") response.writeHead(200, { "content-length": body.length }).end(body);
    else for (let at = 0; at < size; at += 100_000) response.write(body.subarray(at, at + 100_000));
    response.end();
  });
  const routes = [route("/**", { methods: ["GET", "POST"] })];
  await proxy.start(app({ url, api: { maxBodyBytes: 2 * size, routes } }));
  return proxy;
}

/** Reads all of a stream, and pauses at some of its chunks. */
async function digestOf(body: Readable, pauses: number): Promise<string> {
  const hash = createHash("sha256");
  let left = pauses;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    hash.update(chunk);
    if (left > 0) await sleep(10);
    left -= 1;
  }
  return hash.digest("hex");
}

const readers = [0, 40, 0, 40];

for (const how of ["counted", "chunked"])
  test(`large bodies of several requests arrive as they were sent, ${how}, whether clients read fast or slowly`, async (t) => {
    const proxy = await scene(t);
    const received = readers.map(async (pauses, number) => {
      const sent = httpRequest({ port: proxy.port, host: "127.0.0.1", path: `/api/apps/demo/${how}/${number}`, agent: false });
      const [response] = (await once(sent.end(), "response")) as [IncomingMessage];
      return digestOf(response, pauses);
    });
    assert.deepEqual(await Promise.all(received), digests);
  });

test("large bodies arrive over HTTP/2 as they were sent", async (t) => {
  const proxy = await scene(t);
  const server = createHttp2Server((request, response) => {
    const context = { requestId: "h2", remoteAddress: "203.0.113.9", traceparent: newTraceparent() };
    const message = request as unknown as IncomingMessage;
    const answer = new NodeResponse(message, response as unknown as ServerResponse);
    proxy.proxy.http.handle(new NodeRequest(message), answer, context);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  t.after(() => {
    session.destroy();
    server.close();
  });
  const received = readers.map((pauses, number) =>
    digestOf(session.request({ ":path": `/api/apps/demo/counted/${number}` }), pauses),
  );
  assert.deepEqual(await Promise.all(received), digests);
});

for (const length of [size, undefined])
  test(`large uploads arrive as they were sent, ${length === undefined ? "in chunks" : "with their length"}`, async (t) => {
    const proxy = await scene(t);
    const received = bodies.map(async (body) => {
      const headers = length === undefined ? {} : { "content-length": length };
      const path = "/api/apps/demo/upload";
      const sent = httpRequest({ port: proxy.port, host: "127.0.0.1", path, method: "POST", agent: false, headers });
      for (let at = 0; at < size; at += 1_000_003) sent.write(body.subarray(at, at + 1_000_003));
      const [response] = (await once(sent.end(), "response")) as [IncomingMessage];
      return Buffer.concat(await response.toArray()).toString();
    });
    assert.deepEqual(await Promise.all(received), digests);
  });
