import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";
import { after, before, describe, test } from "node:test";
import type { OpenOutbound } from "./outbound-fixture.ts";

/** Declares the tests of `probe` and `get` that every driver of the family must pass. */
export function outboundProbesSuite(name: string, open: OpenOutbound): void {
  describe(`outbound: probes: ${name}`, () => {
    let hits = 0;
    const server = createServer((request, response) => {
      hits += 1;
      if (request.url === "/document") {
        response.end("12345");
        return;
      }
      if (request.url === "/slow") return;
      response.writeHead(request.url === "/well" ? 204 : request.url === "/moved" ? 302 : 500, { location: "/ill" }).end();
    });
    let url: string;

    before(async () => {
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    after(() => {
      server.close();
      server.closeAllConnections();
    });

    test("2xx and 3xx are healthy, redirects are not followed, other statuses are unhealthy", async () => {
      const prober = open({ allowLoopback: true });
      const answers = [
        await prober.probe(`${url}/well`, 1000),
        await prober.probe(`${url}/moved`, 1000),
        await prober.probe(`${url}/ill`, 1000),
      ];
      assert.deepEqual(answers, [undefined, undefined, `GET ${url}/ill returned 500`]);
      assert.equal(hits, 3);
    });

    test("a document is read as a whole, within its limits, and redirects are not followed", async () => {
      const reader = open({ allowLoopback: true });
      const limits = { timeoutMs: 1_000, maxBytes: 5 };
      const { status, body } = await reader.get(`${url}/document`, limits);
      assert.deepEqual([status, Buffer.from(body).toString()], [200, "12345"]);
      assert.equal((await reader.get(`${url}/moved`, limits)).status, 302);
      await assert.rejects(reader.get(`${url}/document`, { ...limits, maxBytes: 4 }), /more than 4 bytes/);
      await assert.rejects(reader.get(`${url}/slow`, { ...limits, timeoutMs: 50 }), /GET .*\/slow: /);
    });

    test("a denied address of proxied calls is never connected to, by number or by name", async () => {
      hits = 0;
      const lookup: LookupFunction = (_hostname, _options, callback) => callback(null, [{ address: "127.0.0.1", family: 4 }]);
      const prober = open({ lookup });
      assert.notEqual(await prober.probe(`${url}/well`, 1000), undefined);
      await assert.rejects(prober.get(`${url}/document`, { timeoutMs: 1_000, maxBytes: 5 }), /GET http/);
      assert.notEqual(await prober.probe(`${url.replace("127.0.0.1", "public.example.com")}/well`, 1000), undefined);
      assert.equal(hits, 0);
      const { status } = await prober.get(`${url}/document`, { timeoutMs: 1_000, maxBytes: 5, managed: true });
      assert.equal(status, 200, "the platform chose the address of what it runs");
    });
  });
}
