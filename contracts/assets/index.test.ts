import assert from "node:assert/strict";
import { test } from "node:test";
import { entityTag, subresourceIntegrity } from "./index.ts";

test("the tag and the integrity of an asset follow from its digest", () => {
  assert.deepEqual([entityTag("0a"), entityTag("0a", "br")], ['"0a"', '"0a-br"']);
  assert.equal(subresourceIntegrity("0a"), "sha256-Cg==");
});
