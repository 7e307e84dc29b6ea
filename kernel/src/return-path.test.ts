import assert from "node:assert/strict";
import { test } from "node:test";
import { returnPath } from "./return-path.ts";

test("paths of the platform are returned with their query", () => {
  assert.equal(returnPath("/console/apps?state=RUNNING&search=a%20b"), "/console/apps?state=RUNNING&search=a%20b");
  assert.equal(returnPath("/"), "/");
});

test("everything that could lead to another origin becomes /", () => {
  const given = [
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "https://evil.example/",
    "javascript:alert(1)",
    "/.//evil.example",
    "console",
    "",
    undefined,
    ["/console"],
    `/${"x".repeat(2_001)}`,
  ];
  assert.deepEqual(
    given.map((each) => returnPath(each)),
    given.map(() => "/"),
  );
});
