import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { Outbound } from "@appserver/kernel/ports";
import type { OpenOutbound } from "./outbound-fixture.ts";

/** Declares the tests of `post` that every driver of the family must pass. */
export function outboundPostsSuite(name: string, open: OpenOutbound): void {
  describe(`outbound: posts: ${name}`, () => {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.once("end", () => {
        seen.push(`${request.method} ${request.url} ${request.headers["x-test"]} ${Buffer.concat(chunks).toString()}`);
        if (request.url?.endsWith("/silent")) return;
        response
          .writeHead(request.url?.endsWith("/moved") ? 302 : 503, { location: "/elsewhere", "retry-after": "7" })
          .end("no");
      });
    });
    const posters: Outbound[] = [];
    let url: string;

    before(async () => {
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    after(async () => {
      for (const poster of posters) await poster.close();
      server.close();
      server.closeAllConnections();
    });

    const posterFor = (allowLoopback: boolean): Outbound => {
      const lookup = (_: string, __: unknown, callback: (error: null, found: { address: string; family: number }[]) => void) =>
        callback(null, [{ address: "127.0.0.1", family: 4 }]);
      const poster = open({ allowLoopback, lookup: lookup as never });
      posters.push(poster);
      return poster;
    };
    const message = { headers: { "x-test": "1" }, body: new TextEncoder().encode("hello") };
    const post = (poster: Outbound, path: string, managed = false, base = url) =>
      poster.post({ url: base, managed }, path, message, 1000);

    test("sends the message and returns the response; redirects are not followed", async () => {
      const poster = posterFor(true);
      assert.deepEqual(await post(poster, "/hook?x=1", false, `${url}/base/`), { status: 503, retryAfter: "7" });
      assert.equal(seen.at(-1), "POST /base/hook?x=1 1 hello");
      assert.equal((await post(poster, "/moved")).status, 302);
      assert.equal(seen.at(-1), "POST /moved 1 hello");
    });

    test("no path leads to another host", async () => {
      await post(posterFor(true), "/@192.0.2.1/x");
      assert.equal(seen.at(-1), "POST /@192.0.2.1/x 1 hello");
      const before = seen.length;
      for (const path of ["//192.0.2.1/x", "/http://192.0.2.1/x", "/\\192.0.2.1/x"])
        await assert.rejects(post(posterFor(true), path), RangeError);
      assert.equal(seen.length, before);
    });

    test("no path leads out of the base", async () => {
      const before = seen.length;
      for (const path of ["/../admin", "/a/%2e%2e/../admin", "/%2E%2e/admin", "/..%2fadmin", "/..\\admin"])
        await assert.rejects(post(posterFor(true), path, false, `${url}/base/`), RangeError, path);
      assert.equal(seen.length, before);
    });

    test("a denied address of proxied calls is never connected to, unless the platform runs the upstream", async () => {
      const strict = posterFor(false);
      const before = seen.length;
      await assert.rejects(post(strict, "/x"), /127\.0\.0\.1/);
      await assert.rejects(post(strict, "/x", false, url.replace("127.0.0.1", "public.example.com")), /127\.0\.0\.1/);
      assert.equal(seen.length, before);
      assert.equal((await post(strict, "/x", true)).status, 503);
    });

    test("a response is read up to a limit, and until the signal aborts", async () => {
      const poster = posterFor(true);
      const ask = (path: string, maxBytes: number, signal = new AbortController().signal) =>
        poster.ask({ url, managed: true }, path, message, { timeoutMs: 10_000, maxBytes, signal });
      assert.deepEqual(await ask("/hook", 10), { status: 503, body: Buffer.from("no") });
      assert.deepEqual(await ask("/hook", 1), { status: 503, body: Buffer.from("n") });
      await assert.rejects(ask("/silent", 10, AbortSignal.timeout(50)), /timeout|aborted/i);
    });

    test("a response after the timeout is a failure", async () => {
      const poster = posterFor(true);
      await assert.rejects(poster.post({ url, managed: true }, "/silent", message, 100), /timeout|aborted/i);
    });
  });
}
