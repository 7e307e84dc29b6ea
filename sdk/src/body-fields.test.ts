import assert from "node:assert/strict";
import { test } from "node:test";
import { type BodyFields, bodyFields } from "./body-fields.ts";

test("fields of a body are returned as they are meant", () => {
  const body = { title: " Tea ", count: 3, done: true, kind: "b", day: "2028-02-29", at: "2026-12-31T09:00+01:00" };
  const fields = bodyFields(body);
  assert.deepEqual([fields.text("title", { max: 3 }), fields.text("absent", { min: 0, max: 3 })], ["Tea", ""]);
  assert.deepEqual([fields.integer("count", { min: 3, max: 3 }), fields.flag("done")], [3, true]);
  assert.deepEqual([fields.oneOf("kind", ["a", "b"]), fields.day("day")], ["b", "2028-02-29"]);
  assert.equal(fields.time("at").toISOString(), "2026-12-31T08:00:00.000Z");
});

test("another field is refused with its name and what was expected", () => {
  const refused: readonly [unknown, (fields: BodyFields) => unknown, string][] = [
    [" ", (fields) => fields.text("x", { max: 5 }), "x must have 1 to 5 characters"],
    ["a\0", (fields) => fields.text("x", { max: 5 }), "x must have 1 to 5 characters"],
    [7, (fields) => fields.text("x", { min: 0, max: 5 }), "x must have at most 5 characters"],
    [1.5, (fields) => fields.integer("x", { min: 1, max: 9 }), "x must be a whole number of 1 to 9"],
    ["1", (fields) => fields.integer("x", { min: 1, max: 9 }), "x must be a whole number of 1 to 9"],
    ["true", (fields) => fields.flag("x"), "x must be true or false"],
    ["c", (fields) => fields.oneOf("x", ["a", "b"]), "x must be one of a, b"],
    ["2026-02-30", (fields) => fields.day("x"), "x must be a date, as 2026-12-31"],
    ["2026-02-03T09:00", (fields) => fields.time("x"), "x must be a time with its zone, as 2026-12-31T09:00:00Z"],
  ];
  for (const [x, read, message] of refused) assert.throws(() => read(bodyFields({ x })), { status: 400, message });
  for (const body of [null, [], "text", 1])
    assert.throws(() => bodyFields(body), { status: 400, message: "the body must be an object" });
});
