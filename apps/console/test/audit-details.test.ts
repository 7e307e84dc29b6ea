import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detailsOf } from "../web/features/audit/detail-text.ts";

describe("details of the audit log", () => {
  it("have words and values for people, and whole digests where one points", () => {
    const digest = "93d3936413ae1e84854fdc88ae81385827977a636e8c961d2a13c25d01487eb4";
    assert.deepEqual(
      detailsOf({
        fromVersion: "1.0.0",
        manifest_digest: digest,
        permissions: [{ scope: "page:origin", owner: null }, { scope: "notes:read" }],
        dryRun: false,
        reason: null,
      }),
      [
        { name: "from version", text: "1.0.0" },
        { name: "manifest digest", text: "93d3936413ae…", full: digest },
        { name: "permissions", text: "scope page:origin, scope notes:read" },
        { name: "dry run", text: "false" },
      ],
    );
    assert.deepEqual(detailsOf(null), []);
  });
});
