import assert from "node:assert/strict";
import { test } from "node:test";
import { scriptHashes } from "../web/features/hosting/script-hashes.ts";

test("a script has its hash in every form in which it may be imported", () => {
  const folder = "/apps/com.example.next/versions/0a";
  const names = ["%5Bslug%5D%20(1).js", "%24id.js", "plain.js"];
  const hashes = scriptHashes(names.map((name) => ({ url: `${folder}/${name}`, integrity: name })));
  for (const [specifier, integrity] of [
    ["./[slug] (1).js", names[0]],
    ["./%5Bslug%5D%20(1).js", names[0]],
    ["./$id.js", names[1]],
    ["./%24id.js", names[1]],
    ["./plain.js", names[2]],
  ] as const)
    assert.equal(hashes[new URL(specifier, `http://platform${folder}/main.js`).pathname], integrity, specifier);
  assert.equal(Object.keys(hashes).length, 5);
});
