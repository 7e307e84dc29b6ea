import assert from "node:assert/strict";
import { test } from "node:test";
import type { LiveApp } from "@appserver/marketplace";
import { createForwardKeys } from "./forward-keys.ts";

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
