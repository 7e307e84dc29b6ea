import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import test from "node:test";
import { type ProxyUnderTest, startProxy } from "./proxy-under-test.ts";

const corpora = process.env["APPSERVER_CORPORA"] ?? resolve(import.meta.dirname, "../../../shared/corpora");
const file = join(corpora, "smuggler-te/te_mutations.json");
const expectedMutations = 1_768;
const parallel = 16;

interface Mutation {
  readonly name: string;
  readonly head: string;
}

/** Ends a chunked body at once, so that whoever believes in chunks takes the rest for a request of its own. */
function attackOf({ head }: Mutation, index: number): Buffer {
  const body = `0\r\n\r\nGET /api/apps/demo/smuggled/${index} HTTP/1.1\r\nHost: demo.example\r\n\r\n`;
  const filled = head
    .replaceAll("__METHOD__", "POST")
    .replaceAll("__ENDPOINT__", `/api/apps/demo/sent/${index}`)
    .replaceAll("__RANDOM__", "1")
    .replaceAll("__HOST__", "demo.example")
    .replaceAll("__REPLACE_CL__", String(body.length));
  return Buffer.from(`${filled}\r\n${body}`, "latin1");
}

/** The same with a length that covers the first chunk's size line alone: for a front that believes in the length. */
function reverseAttackOf({ head }: Mutation, index: number): Buffer {
  const smuggled = `GET /api/apps/demo/smuggled/${index} HTTP/1.1\r\nHost: demo.example\r\nContent-Length: 30\r\n\r\n`;
  const size = `${smuggled.length.toString(16)}\r\n`;
  const body = `${size}${smuggled}\r\n0\r\n\r\n`;
  const filled = attackOf({ name: "", head }, index)
    .toString("latin1")
    .split("\r\n\r\n0\r\n\r\n")[0]
    ?.replace(/(?<=Content-Length: )\d+$/, String(body.length));
  return Buffer.from(`${filled}\r\n\r\n${body}`, "latin1");
}

async function attackAll(proxy: ProxyUnderTest, mutations: readonly Mutation[], attack: typeof attackOf): Promise<number> {
  let next = 0;
  let answered = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < mutations.length; index = next++) {
      const mutation = mutations[index];
      if (mutation && (await proxy.send(attack(mutation, index))).startsWith("HTTP/1.1 ")) answered += 1;
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return answered;
}

if (!existsSync(file)) {
  test("Transfer-Encoding mutations", { skip: "corpora absent" });
} else {
  const corpus = JSON.parse(readFileSync(file, "utf8")) as Record<string, Record<string, string>>;
  const mutations = Object.entries(corpus).flatMap(([set, heads]) =>
    Object.entries(heads).map(([name, head]): Mutation => ({ name: `${set}/${name}`, head })),
  );
  for (const [title, attack] of [
    ["a chunked end inside the length", attackOf],
    ["a request inside the first chunk", reverseAttackOf],
  ] as const) {
    test(`Transfer-Encoding mutations smuggle nothing: ${title}`, async (context) => {
      const routes = [{ pattern: "/**", methods: ["GET", "POST"], scopes: [], isPublic: true }];
      const proxy = await startProxy(routes, true);
      context.after(() => proxy.stop());
      const answered = await attackAll(proxy, mutations, attack);
      const perMutation = new Map<string, number>();
      for (const { url, headers, body } of proxy.received) {
        const name = mutations[Number(/\d+/.exec(url)?.[0])]?.name ?? url;
        perMutation.set(name, (perMutation.get(name) ?? 0) + 1);
        assert.match(url, /^\/sent\//, `${name}: a smuggled request reached the upstream`);
        assert.equal(headers["transfer-encoding"], undefined, `${name}: framed as chunked`);
        assert.equal(Number(headers["content-length"]), body.length, name);
      }
      for (const [name, count] of perMutation) assert.equal(count, 1, name);
      context.diagnostic(
        `${mutations.length} mutations: ${answered} answered, ${perMutation.size} reached the upstream, once each`,
      );
      assert.equal(mutations.length, expectedMutations);
      assert.equal(answered, expectedMutations);
      assert.ok(perMutation.size > 0);
    });
  }
}
