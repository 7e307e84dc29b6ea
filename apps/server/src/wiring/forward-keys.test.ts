import assert from "node:assert/strict";
import { test } from "node:test";
import type { LiveApp } from "@appserver/marketplace";
import { createDocumentKeys, createForwardKeys } from "./forward-keys.ts";

test("requests are signed with the secret of the deployment, those to an external backend with the push secret", () => {
  const of = (placement: object) =>
    createForwardKeys({
      apps: { get: () => ({ app: { id: "1", name: "notes", generation: 3 }, placement }) as unknown as LiveApp },
      identities: { forwardKey: (appId, generation) => (appId === "1" && generation === 3 ? "unreadable" : "awaited") },
      platformKey: Buffer.alloc(32),
    }).of("notes");
  assert.equal(of({ api: "container" }), "unreadable");
  const key = of({ api: "external" });
  assert.ok(typeof key === "object" && key.symmetricKeySize === 32);
});

test("a secret that the server has not read yet is read for the request for a document", async () => {
  let reads = 0;
  const keys = createDocumentKeys({
    identities: {
      forwardKey: (_, generation) => (generation === 4 && reads > 0 ? "unreadable" : "awaited"),
      refresh: async () => {
        reads += 1;
      },
    },
    platformKey: Buffer.alloc(32),
  });
  assert.equal(await keys.of({ id: "1", name: "notes", generation: 4 }, true), "unreadable");
  assert.equal(typeof (await keys.of({ id: "1", name: "notes", generation: 4 }, false)), "object");
  assert.equal(reads, 1);
});
