import assert from "node:assert/strict";
import { test } from "node:test";
import { objectOf } from "./object-of.ts";

test("a nullable field that the record does not have is a compile error", () => {
  const shown = (record: { readonly name: string }): { readonly name: string; readonly note?: string | null } =>
    // @ts-expect-error The nullable field note is missing.
    objectOf(record);
  assert.deepEqual(shown({ name: "a" }), { name: "a" });
});
