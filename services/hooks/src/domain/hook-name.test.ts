import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AppError } from "@appserver/kernel";
import { checkHookName, possibleOwners } from "./hook-name.ts";

describe("hook names", () => {
  for (const name of ["com.example.notes.created", "app.on_create", "a.b", "n1.note-created"]) {
    test(`${name} is valid`, () => checkHookName(name, "name"));
  }
  for (const name of ["", "On.Create", "a..b", ".a", "a.", "a b", "a.\n", `${"a".repeat(127)}.b`, "a._b"]) {
    test(`${JSON.stringify(name).slice(0, 20)} is refused, and the error names the field`, () => {
      assert.throws(
        () => checkHookName(name, "hook_names[1]"),
        (error: AppError) => error.code === "INVALID_REQUEST" && error.violations[0]?.field === "hook_names[1]",
      );
    });
  }

  test("the longest app name comes first, and the whole name is never an app's", () => {
    assert.deepEqual(possibleOwners("com.example.notes.created"), ["com.example.notes", "com.example", "com"]);
    assert.deepEqual(possibleOwners("alone"), []);
  });
});
