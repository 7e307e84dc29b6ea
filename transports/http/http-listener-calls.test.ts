import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { send, started } from "../test/http-listener-fixture.ts";

test("a call of gRPC goes to its handler with the address of the client, and its body may pause", async (context) => {
  const received: string[] = [];
  const calls = {
    handle: (request: IncomingMessage, response: ServerResponse, remoteAddress: string) => {
      received.push(`${request.url} of ${remoteAddress}`);
      text(request).then(
        (body) => response.end(body),
        () => {},
      );
    },
    drain: async () => {},
  };
  const listener = await started({ calls, trustedProxies: ["127.0.0.1"], limits: { readTimeoutMs: 200 } });
  context.after(() => listener.stop());
  const { host, port } = listener.address();
  const path = "/appserver.v2.HooksService/Subscribe";
  const headers = { "x-forwarded-for": "203.0.113.9" };
  const outgoing = request({ host, port, path, method: "POST", headers });
  outgoing.write("one ");
  await new Promise((resolve) => setTimeout(resolve, 600));
  outgoing.end("two");
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  assert.equal(await text(response), "one two");
  assert.deepEqual(received, [`${path} of 203.0.113.9`]);
  assert.equal((await send(listener, "/appserver.v2.HooksService")).status, 404);
  // Where clients must present a certificate, which this port does not request.
  const without = await started();
  context.after(() => without.stop());
  assert.equal((await send(without, path, { method: "POST" })).status, 404);
});
