import assert from "node:assert/strict";
import { test } from "node:test";
import { rejectsWith } from "@appserver/testing/kit";
import type { AppRecord } from "../domain/app.ts";
import { requireInstalled, requireNotSwitching } from "./require-installed.ts";

const app = { name: "com.example.notes", state: "RUNNING", target: undefined };
const record = (fields: object): AppRecord => ({ ...app, ...fields }) as unknown as AppRecord;

test("an app that is not installed is refused with the command that makes it so, unless one runs already", () => {
  const refusal = (state: string): string => {
    try {
      requireInstalled(record({ state }), "restart");
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  };
  for (const state of ["REGISTERED", "FAILED", "UNINSTALLED"])
    assert.equal(refusal(state), `com.example.notes is ${state}; only an installed app can restart; install it first`);
  for (const state of ["INSTALLING", "UNINSTALLING"])
    assert.equal(refusal(state), `com.example.notes is ${state}; only an installed app can restart`);
  assert.equal(refusal("RUNNING"), "");
});

test("a switch to another revision of the same version is refused with the revision", () => {
  assert.throws(
    () => requireNotSwitching(record({ target: { version: "1.0.0", revision: 2, operationId: "1" } })),
    rejectsWith("CONFLICT", /^com\.example\.notes is already switching to 1\.0\.0 \(revision 2\)$/),
  );
  requireNotSwitching(record({}));
});
