import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { chunkedEndInsideLength, requestInsideFirstChunk, transferEncodingMutations } from "@appserver/testing/kit";
import { NodeReading } from "../../test/node-reading.ts";
import { compareReadings, sameReading } from "../../test/reading-cases.ts";

const corpora = process.env["APPSERVER_CORPORA"] ?? resolve(import.meta.dirname, "../../../../shared/corpora");
const paths = join(corpora, "envoy-path/pairs.json");

describe("what is plain, Node's parser reads in the same way", () => {
  test("drawn connections, with something odd in any place", async () => {
    const plain = await compareReadings(4_000);
    assert.ok(plain > 1_000, `only ${plain} requests were plain`);
  });

  test("spellings of Transfer-Encoding that parsers read differently", async (context) => {
    const mutations = transferEncodingMutations();
    if (!mutations) return context.skip("corpora absent");
    const node = new NodeReading();
    const target = { host: "h", base: "/api/apps/demo" };
    for (const [index, mutation] of mutations.entries())
      for (const attack of [chunkedEndInsideLength, requestInsideFirstChunk])
        await sameReading(node, attack(mutation, index, target).toString("latin1"));
    node.close();
  });

  test("paths that proxies normalise differently", async (context) => {
    if (!existsSync(paths)) return context.skip("corpora absent");
    const corpus = JSON.parse(readFileSync(paths, "utf8")) as Record<string, readonly (string | readonly string[])[]>;
    const node = new NodeReading();
    for (const path of Object.values(corpus).flat(2)) {
      await sameReading(node, `GET /api/apps/demo/${path} HTTP/1.1\r\nHost: h\r\n\r\n`);
    }
    node.close();
  });
});
