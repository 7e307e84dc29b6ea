import assert from "node:assert/strict";
import { METHODS } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { after, before, describe, test } from "node:test";
import { EventLoopGuard, RunningPlatform, send } from "@appserver/testing/kit";

const floodBytes = 10_000_000;
const streams = 50;
const limits = { metricsBytes: 1_000_000, metricsMs: 200, addedBytes: 50_000_000 } as const;

type Headers = Readonly<Record<string, string>>;

/** Not those of sites: a development platform builds these at their first use. */
const paths = [
  ...[
    "/api/apps/nosuch/x",
    "/apps/nosuch/assets/x.js",
    "/apps/nosuch/versions/0/x.js",
    "/assets/x/y",
    "/graphql",
    "/api/v2/apps",
  ],
  ...["/health", "/health/live", "/health/ready", "/ready", "/metrics", "/dev/login", "/self-service/x", "/none"],
] as const;

function repeated(count: number, headersOf: (number: number) => Headers): readonly Headers[] {
  return Array.from({ length: count }, (_, number) => headersOf(number));
}

const large = 30_000;
const texts = Math.ceil(floodBytes / large);

/** What a stranger sends. Each kind but the second has some ten megabytes. */
const floods: Readonly<Record<string, readonly Headers[]>> = {
  "methods of 30 kB": repeated(texts, (number) => ({
    ":method": `X${number}${"A".repeat(large)}`,
    ":path": paths[number % paths.length] ?? "/",
  })),
  "every method on every path": METHODS.flatMap((method) =>
    method === "CONNECT" ? [] : paths.map((path) => ({ ":method": method, ":path": path })),
  ),
  "paths of 30 kB": repeated(texts, (number) => ({ ":path": `/api/apps/a${number}/${"b".repeat(large)}` })),
  "names of apps, ids of requests, traces and hosts": repeated(texts, (number) => ({
    ":path": `/api/apps/app${number}/x`,
    ":authority": `h${number}.example`,
    "x-request-id": `id-${number}`,
    traceparent: `00-${String(number).padStart(32, "1")}-${"1".repeat(16)}-01`,
    "user-agent": `u${number}${"c".repeat(large)}`,
    "x-app-name": `com.example.a${number}`,
  })),
};

/** Resolves when the stream has ended, in whatever way. */
function ended(session: ClientHttp2Session, headers: Headers): Promise<void> {
  return new Promise((resolve) => {
    const stream = session.request(headers, { endStream: true });
    stream.on("error", () => {}).on("close", resolve);
    stream.resume();
  });
}

async function flood(url: string, requests: readonly Headers[]): Promise<void> {
  const session = connect(url);
  session.on("error", () => {});
  for (let sent = 0; sent < requests.length; sent += streams)
    await Promise.all(requests.slice(sent, sent + streams).map((headers) => ended(session, headers)));
  session.destroy();
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  const begun = performance.now();
  const result = await work();
  return { result, ms: performance.now() - begun };
}

/** Calls `work`, and returns the longest wait for /health during it. */
async function longestHealthMs(url: string, work: () => Promise<void>): Promise<number> {
  let isOver = false;
  let longest = 0;
  const working = work().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const { result, ms } = await timed(() => send(url, "/health"));
    assert.equal(result.status, 200);
    longest = Math.max(longest, ms);
  }
  await working;
  return longest;
}

/** The shortest of some scrapes: a busy machine makes a single one long. */
async function scrape(url: string): Promise<{ readonly text: string; readonly ms: number }> {
  const scrapes = [];
  for (let number = 0; number < 5; number += 1) scrapes.push(await timed(() => send(url, "/metrics")));
  return { text: scrapes.at(-1)?.result.text ?? "", ms: Math.min(...scrapes.map(({ ms }) => ms)) };
}

describe("HTTP/2 of a stranger", () => {
  let guard: EventLoopGuard;
  let platform: RunningPlatform;
  before(async () => {
    guard = await EventLoopGuard.create();
    platform = await RunningPlatform.start({ flags: ["--no-examples"], environment: guard.environment });
    // What a process loads at its first requests is not part of the measurement.
    await flood(
      platform.httpUrl,
      paths.map((path) => ({ ":path": path })),
    );
    for (const requests of Object.values(floods)) await flood(platform.httpUrl, requests.slice(0, streams));
    await memory();
  });
  after(() => platform?.stop());

  async function memory(): Promise<number> {
    const { text } = await send(platform.httpUrl, "/metrics");
    return Number(/^process_resident_memory_bytes (\d+)/m.exec(text)?.[1]);
  }

  for (const [what, requests] of Object.entries(floods))
    test(`${what} leave metrics small, the event loop free and memory as it was`, async (context) => {
      const before = await memory();
      const waits: number[] = [];
      await guard.assertUnharmed(async () =>
        waits.push(await longestHealthMs(platform.httpUrl, () => flood(platform.httpUrl, requests))),
      );
      const { text, ms } = await scrape(platform.httpUrl);
      const added = (await memory()) - before;
      const bytes = Buffer.byteLength(text);
      const seen = [`metrics ${bytes} bytes in ${Math.round(ms)} ms`, `memory ${Math.round(added / 1e6)} MB`];
      context.diagnostic([...seen, `/health at most ${waits.map(Math.round).join(", ")} ms`].join(", "));
      assert.ok(bytes <= limits.metricsBytes, `${bytes} bytes of metrics`);
      assert.ok(ms <= limits.metricsMs, `metrics took ${ms} ms`);
      assert.ok(added <= limits.addedBytes, `${added} bytes of memory`);
      assert.doesNotMatch(text, /X\d+A|app\d+|b{100}/);
    });
});
