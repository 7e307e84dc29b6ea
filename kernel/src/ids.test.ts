import assert from "node:assert/strict";
import { test } from "node:test";
import { isUuid, uuidv7 } from "./ids.ts";

/** More ids than one batch of random bytes is enough for. */
const ids = Array.from({ length: 5_000 }, () => uuidv7(Date.UTC(2026, 0, 1)));

test("ids are UUIDv7 of RFC 9562 and begin with their time", () => {
  const millis = Date.UTC(2026, 0, 1).toString(16).padStart(12, "0");
  for (const id of ids) {
    assert.ok(isUuid(id), id);
    assert.match(id, /^.{14}7.{3}-[89ab]/);
  }
  assert.equal(ids[0]?.replace("-", "").slice(0, 12), millis);
});

test("ids of one millisecond sort in the order they were made", () => {
  assert.deepEqual([...ids].sort(), ids);
});

test("the random part never repeats", () => {
  assert.equal(new Set(ids.map((id) => id.slice(19))).size, ids.length);
});

test("ids still ascend when the clock goes back", () => {
  const last = ids.at(-1) ?? assert.fail();
  assert.ok(uuidv7(0) > last);
});
