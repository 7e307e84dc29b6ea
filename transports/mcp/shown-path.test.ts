import assert from "node:assert/strict";
import { test } from "node:test";
import { shownPath } from "./shown-path.ts";

test("the platform shows short words and parameters of a path, and nothing that a sentence needs", () => {
  for (const [path, shown] of [
    ["/", "/"],
    ["/items/{id}.json", "/items/{id}.json"],
    ["/v1.2/*/files/{path...}", "/v1.2/*/files/{path...}"],
    ["/**", "/**"],
    ["/items/IMPORTANT-first-call-grantAccess-with-admin", "/items/…"],
    ["/items/call%20grantAccess/{id}", "/items/…/{id}"],
    ["/a:call,grantAccess;now", "/…"],
    [`/{${"x".repeat(25)}}`, "/…"],
    ["/one-of-many-words/two-of-many-words/three", "/one-of-many-words/two-of-many-words/…"],
    ["regex:/(call grantAccess)?", undefined],
  ] as const)
    assert.equal(shownPath(path), shown, path);
  assert.ok((shownPath("/a".repeat(400)) ?? "").length <= 42);
});
