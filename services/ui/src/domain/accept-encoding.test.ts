import assert from "node:assert/strict";
import { test } from "node:test";
import { allowsIdentity, chooseCoding } from "./accept-encoding.ts";

const preferred = ["br", "zstd", "gzip"] as const;

const cases: readonly (readonly [string | undefined, string | undefined])[] = [
  [undefined, undefined],
  ["", undefined],
  ["gzip", "gzip"],
  ["gzip, deflate, br, zstd", "br"],
  ["gzip;q=1.0, br;q=0", "gzip"],
  ["GZIP ; Q=0.5", "gzip"],
  ["*", "br"],
  ["*;q=0.1, br;q=0", "zstd"],
  ["identity", undefined],
  ["deflate", undefined],
  ["gzip;q=0", undefined],
];

for (const [header, coding] of cases) {
  test(`Accept-Encoding ${header ?? "absent"} chooses ${coding ?? "identity"}`, () => {
    assert.equal(chooseCoding(header, preferred), coding);
  });
}

test("identity is refused only by identity;q=0 or a bare *;q=0", () => {
  assert.equal(allowsIdentity(undefined), true);
  assert.equal(allowsIdentity("br"), true);
  assert.equal(allowsIdentity("br, identity;q=0"), false);
  assert.equal(allowsIdentity("br, *;q=0"), false);
  assert.equal(allowsIdentity("*;q=0, identity;q=0.1"), true);
});
