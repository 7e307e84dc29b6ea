import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import {
  chunkedEndInsideLength,
  type EchoUpstream,
  echoUpstream,
  type PlatformUnderTest,
  requestInsideFirstChunk,
  send,
  startPlatform,
  testApp,
  transferEncodingMutations,
  uniqueName,
  untilStatus,
} from "@appserver/testing/kit";

const mebibyte = 1024 * 1024;
const name = uniqueName("com.example.hostilebytes");
const base = `/api/apps/${name}`;

describe("bytes that no client should send", { timeout: 240_000 }, () => {
  let platform: PlatformUnderTest;
  let upstream: EchoUpstream;
  const seen: string[] = [];
  before(async () => {
    upstream = await echoUpstream(({ url }) => seen.push(url));
    platform = await startPlatform();
    const routes = [{ path: "/**", methods: ["GET", "POST"], is_public: true }];
    await platform.register(
      await testApp({ name, web_app: { api: { base_path: base, upstream_base_url: upstream.url, routes } } }),
    );
    await platform.client().marketplace.installApp({ name });
    await untilStatus(platform.httpUrl, `${base}/first`, 200);
  });
  after(async () => {
    await platform.client().marketplace.uninstallApp({ name, purgeData: true });
    await platform.stop();
    await upstream.stop();
  });

  /** Sends bytes on a new connection. Resolves with the received bytes once it closes or falls silent. */
  const raw = (bytes: Buffer): Promise<string> => {
    const { hostname, port } = new URL(platform.httpUrl);
    return new Promise((resolve) => {
      const socket = connect(Number(port), hostname);
      const chunks: Buffer[] = [];
      socket.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        socket.setTimeout(50);
      });
      // A reset is also a valid response.
      socket.on("error", () => {});
      socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
      socket.setTimeout(10_000, () => socket.destroy());
      socket.write(bytes);
    });
  };

  for (const [title, attack] of [
    ["a chunked end inside the length", chunkedEndInsideLength],
    ["a request inside the first chunk", requestInsideFirstChunk],
  ] as const) {
    test(`Transfer-Encoding mutations smuggle nothing through the listener: ${title}`, async (context) => {
      const mutations = transferEncodingMutations();
      if (!mutations) return context.skip("corpora absent");
      seen.length = 0;
      const { host } = new URL(platform.httpUrl);
      let next = 0;
      const worker = async (): Promise<void> => {
        for (let index = next++; index < mutations.length; index = next++) {
          const mutation = mutations[index];
          if (!mutation) continue;
          const answer = await raw(attack(mutation, index, { host, base }));
          assert.match(answer, /^HTTP\/1\.1 [1-4]\d\d /, mutation.name);
        }
      };
      await Promise.all(Array.from({ length: 16 }, worker));
      assert.deepEqual(
        seen.filter((url) => !url.startsWith("/sent/")),
        [],
      );
      assert.equal(new Set(seen).size, seen.length, "one mutation, one request");
      assert.ok(seen.length > 0);
    });
  }

  test("control characters in names, paths, headers and user agents produce one JSON line each in the log", async () => {
    const logBefore = (await platform.log()).length;
    const red = "\u001b[31m";
    const forged = '{"level":"fatal","msg":"forged line"}';
    for (const path of [
      `${base}/a%0d%0a${encodeURIComponent(forged)}`,
      `/apps/${encodeURIComponent(`x\n${forged}`)}/assets/y`,
    ]) {
      await send(platform.httpUrl, path, { headers: { "user-agent": `x\t${forged}`, "x-request-id": `a\t${forged}` } });
    }
    const { host } = new URL(platform.httpUrl);
    for (const header of [`User-Agent: ${red}\n ${forged}`, `X-Request-ID: ${red}${forged}`, `Cookie: a=\u0001${forged}`]) {
      await raw(Buffer.from(`GET ${base}/log HTTP/1.1\r\nHost: ${host}\r\n${header}\r\nConnection: close\r\n\r\n`, "latin1"));
    }
    await platform
      .client()
      .marketplace.getApp({ name: `x\n${forged}${red}` })
      .catch(() => {});
    await platform.graphql("query ($n: String!) { app(name: $n) { name } }", { n: `x\n${forged}${red}` });
    await untilStatus(platform.httpUrl, "/health", 200);
    const lines = (await platform.log()).slice(logBefore).split("\n").filter(Boolean);
    assert.ok(lines.length > 0);
    for (const line of lines) {
      const entry = JSON.parse(line) as { msg?: string; level?: unknown };
      assert.notEqual(entry.msg, "forged line");
      assert.doesNotMatch(line, /[\u0000-\u001f\u007f]/);
    }
  });

  test("compressed bodies are 415 where the platform reads them, and use no memory", async () => {
    const bomb = gzipSync(Buffer.alloc(300 * mebibyte));
    const before = await residentBytes();
    for (const [path, method] of [
      ["/graphql", "POST"],
      ["/api/v2/apps/00000000-0000-7000-8000-000000000000/settings", "PUT"],
    ] as const) {
      const headers = { "content-type": "application/json", "content-encoding": "gzip", ...platform.administrator };
      assert.equal((await send(platform.httpUrl, path, { method, headers, body: bomb })).status, 415, path);
    }
    const grown = (await residentBytes()) - before;
    assert.ok(grown < 64 * mebibyte, `grown by ${Math.round(grown / mebibyte)} MiB`);
  });

  const residentBytes = async (): Promise<number> => {
    const { text } = await send(platform.httpUrl, "/metrics");
    return Math.max(
      ...[...text.matchAll(/^process_resident_memory_bytes(?:\{[^}]*\})? (\S+)$/gm)].map(([, value]) => Number(value)),
    );
  };
});
