import assert from "node:assert/strict";
import test from "node:test";
import {
  chunkedEndInsideLength,
  type Mutation,
  requestInsideFirstChunk,
  transferEncodingMutations,
} from "@appserver/testing/kit";
import { type ProxyUnderTest, startProxy } from "./proxy-under-test.ts";

const expectedMutations = 1_768;
const parallel = 16;
const target = { host: "demo.example", base: "/api/apps/demo" };

async function attackAll(
  proxy: ProxyUnderTest,
  mutations: readonly Mutation[],
  attack: typeof chunkedEndInsideLength,
): Promise<number> {
  let next = 0;
  let answered = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < mutations.length; index = next++) {
      const mutation = mutations[index];
      if (mutation && (await proxy.send(attack(mutation, index, target))).startsWith("HTTP/1.1 ")) answered += 1;
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return answered;
}

const mutations = transferEncodingMutations();
if (!mutations) {
  test("Transfer-Encoding mutations", { skip: "corpora absent" });
} else {
  for (const [title, attack] of [
    ["a chunked end inside the length", chunkedEndInsideLength],
    ["a request inside the first chunk", requestInsideFirstChunk],
  ] as const) {
    test(`Transfer-Encoding mutations smuggle nothing: ${title}`, async (context) => {
      const routes = [{ pattern: "/**", methods: ["GET", "POST"], scopes: [], isPublic: true }];
      const proxy = await startProxy(routes, true);
      context.after(() => proxy.stop());
      const answered = await attackAll(proxy, mutations, attack);
      const perMutation = new Map<string, number>();
      for (const { url, headers, body } of proxy.received) {
        const name: string = mutations[Number(/\d+/.exec(url)?.[0])]?.name ?? url;
        perMutation.set(name, (perMutation.get(name) ?? 0) + 1);
        assert.match(url, /^\/sent\//, `${name}: a smuggled request reached the upstream`);
        assert.equal(headers["transfer-encoding"], undefined, `${name}: framed as chunked`);
        assert.equal(Number(headers["content-length"]), body.length, name);
      }
      for (const [name, count] of perMutation) assert.equal(count, 1, name);
      context.diagnostic(
        `${mutations.length} mutations: ${answered} responses, ${perMutation.size} reached the upstream, once each`,
      );
      assert.equal(mutations.length, expectedMutations);
      assert.equal(answered, expectedMutations);
      assert.ok(perMutation.size > 0);
    });
  }
}
