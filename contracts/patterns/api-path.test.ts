import assert from "node:assert/strict";
import { test } from "node:test";
import { absoluteBasePath } from "./api-path.ts";

test("a base path is absolute, or relative to the app's public prefix", () => {
  for (const [basePath, expected] of [
    ["", "/api/apps/a"],
    ["/", "/api/apps/a"],
    ["/v1", "/api/apps/a/v1"],
    ["/v1/", "/api/apps/a/v1"],
    ["/api/apps/a", "/api/apps/a"],
    ["/api/apps/a/v1/", "/api/apps/a/v1"],
    ["/api/apps/ab", "/api/apps/a/api/apps/ab"],
  ] as const)
    assert.equal(absoluteBasePath("a", basePath), expected, basePath);
});
