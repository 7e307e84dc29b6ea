import assert from "node:assert/strict";
import { test } from "node:test";
import { negotiate } from "./negotiate.ts";

const older = "application/json";
const newer = "application/graphql-response+json";

test("the media type of a response follows from Accept", () => {
  for (const [accept, expected] of [
    [undefined, older],
    ["", older],
    [" ", older],
    ["*/*", older],
    ["application/*", older],
    [older, older],
    [newer, newer],
    [`${older}, ${newer}`, newer],
    [`${newer};q=0.5, ${older}`, older],
    [`${newer};charset=utf-8;q=0.9, ${older};q=0.8`, newer],
    [`APPLICATION/JSON ; Q=0.3,, */*;q=0`, older],
    [`${newer};q=0, */*`, older],
    [`${older};q=0, */*`, undefined],
    [`multipart/mixed;deferSpec=20220824, ${older}`, older],
    ["text/html,application/xhtml+xml,*/*;q=0.8", older],
    ["text/html", undefined],
    [`${older};q=0`, undefined],
    [`${older};q=high`, older],
  ] as const)
    assert.equal(negotiate(accept), expected, accept);
});
