import assert from "node:assert/strict";
import { test } from "node:test";
import { findCanary } from "./find-canary.ts";

const canary = 'canary-"ä/7f3a';

test("finds a canary in every form that it may leak in", () => {
  const surrounded = ["", "a", "ab"].map((before) => `${before}${canary}, and more`);
  const leaks = {
    plain: `x ${canary} y`,
    json: JSON.stringify({ a: [canary] }),
    hex: Buffer.from(`..${canary}..`).toString("hex").toUpperCase(),
    percent: `?q=${encodeURIComponent(canary)}`,
    bytes: Buffer.from(`\u0000${canary}`),
    ...Object.fromEntries(surrounded.map((text, at) => [`base64-${at}`, Buffer.from(text).toString("base64")])),
    ...Object.fromEntries(surrounded.map((text, at) => [`base64url-${at}`, Buffer.from(text).toString("base64url")])),
    alone: Buffer.from(canary).toString("base64"),
  };
  assert.deepEqual(findCanary(canary, leaks), Object.keys(leaks));
});

test("finds nothing if the canary is absent", () => {
  assert.deepEqual(findCanary(canary, { empty: "", other: canary.slice(1), bytes: Buffer.alloc(100) }), []);
  assert.throws(() => findCanary("short", {}), /eight/);
});
