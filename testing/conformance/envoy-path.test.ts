import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import test, { after, before } from "node:test";
import { type ProxyUnderTest, type Received, startProxy } from "./proxy-under-test.ts";

type Pairs = readonly (readonly [input: string, normal: string])[];

interface Corpus {
  readonly normalize: Pairs;
  readonly reject: readonly string[];
  readonly mergeSlashes: Pairs;
  readonly removeQueryAndFragment: Pairs;
}

const corpora = process.env["APPSERVER_CORPORA"] ?? resolve(import.meta.dirname, "../../../shared/corpora");
const file = join(corpora, "envoy-path/pairs.json");
const base = "/api/apps/demo";

interface Outcome {
  readonly status: number;
  readonly upstream: Received | undefined;
}

async function ask(proxy: ProxyUnderTest, target: string): Promise<Outcome> {
  const before = proxy.received.length;
  const answer = await proxy.send(Buffer.from(`GET ${target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`, "latin1"));
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]), upstream: proxy.received[before] };
}

/** The corpus also has paths without a leading slash. */
function below(prefix: string, path: string): string {
  return prefix + (path.startsWith("/") ? path : `/${path}`);
}

if (!existsSync(file)) {
  test("Envoy's path pairs", { skip: "corpora absent" });
} else {
  const corpus = JSON.parse(readFileSync(file, "utf8")) as Corpus;
  const everyPath = [
    ...corpus.reject,
    ...[corpus.normalize, corpus.mergeSlashes, corpus.removeQueryAndFragment].flatMap((pairs) => pairs.map(([input]) => input)),
  ];
  const open = { pattern: "/**", methods: ["GET"], scopes: [], isPublic: true };
  const guarded = { ...open, isPublic: false };
  let stripped: ProxyUnderTest;
  let whole: ProxyUnderTest;
  let mixed: ProxyUnderTest;

  before(async () => {
    stripped = await startProxy([open], true);
    whole = await startProxy([open], false);
    mixed = await startProxy([{ ...open, pattern: "/public/**" }, guarded], true);
  });
  after(() => Promise.all([stripped.stop(), whole.stop(), mixed.stop()]));

  test("a path that Envoy normalises is refused or reaches the upstream unchanged", async () => {
    for (const [input, normal] of corpus.normalize) {
      const { status, upstream } = await ask(stripped, below(base, input));
      if (upstream === undefined) assert.equal(status, 400, input);
      else assert.equal(upstream.url, normal, input);
    }
  });

  test("a path that Envoy rejects is refused", async () => {
    for (const input of corpus.reject)
      assert.deepEqual(await ask(stripped, below(base, input)), { status: 400, upstream: undefined });
  });

  test("slashes are not merged: the upstream receives the path that was matched", async () => {
    for (const [input] of corpus.mergeSlashes)
      assert.equal((await ask(stripped, below(base, input))).upstream?.url, below("", input));
  });

  test("a fragment is refused, a query never part of the path", async () => {
    for (const [input, path] of corpus.removeQueryAndFragment) {
      const { status, upstream } = await ask(stripped, below(base, input));
      if (input.includes("#")) assert.deepEqual([input, status, upstream], [input, 400, undefined]);
      else assert.equal(upstream?.url, input);
      if (upstream) assert.equal(upstream.url.split("?")[0], path);
    }
  });

  test("the upstream's path never leaves the base, stripped or not", async () => {
    for (const input of everyPath) {
      const { upstream } = await ask(whole, below(base, input));
      if (upstream) assert.ok(new URL(upstream.url, "http://h").pathname.startsWith(base), `${input} became ${upstream.url}`);
    }
  });

  test("a public route never reaches a protected one", async () => {
    for (const input of everyPath) {
      for (const target of [below(`${base}/public`, input), below(base, input), `${base}/public/..${below("", input)}`]) {
        const { status, upstream } = await ask(mixed, target);
        if (upstream) assert.match(new URL(upstream.url, "http://h").pathname, /^\/public(?:\/|$)/, target);
        else assert.ok(status === 400 || status === 401, `${target}: ${status}`);
      }
    }
  });
}
