import assert from "node:assert/strict";
import { test } from "node:test";
import { renderedPath, rendererOf } from "./rendered-path.ts";

test("the path of a rendered page names its app", () => {
  assert.equal(renderedPath("com.example.a"), "/apps/com.example.a/page");
  for (const below of ["", "/", "/x/y"])
    assert.equal(rendererOf(renderedPath("com.example.a") + below), "com.example.a", below);
  for (const other of [
    "/apps/com.example.a",
    "/apps/com.example.a/pages",
    "/apps/com.example.a/assets/page",
    "/api/apps/com.example.a/page",
    "/apps/",
    "/",
  ])
    assert.equal(rendererOf(other), undefined, other);
});
