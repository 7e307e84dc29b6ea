import assert from "node:assert/strict";
import { test } from "node:test";
import { ownSources, sourceOrigin } from "./own-sources.ts";

test("a path is named with each origin, and is the whole origin without one", () => {
  const origins = ["https://a.example", "http://b:8080"];
  assert.equal(
    ownSources(origins, ["/x/", "/y/"]),
    "https://a.example/x/ https://a.example/y/ http://b:8080/x/ http://b:8080/y/",
  );
  assert.equal(ownSources([], ["/x/"]), "'self'");
});

test("no host adds a directive to a policy", () => {
  assert.equal(sourceOrigin("https", "Platform.example:8443"), "https://Platform.example:8443");
  for (const host of [undefined, "", "[::1]:80", "a b", "a;script-src *", "a/b", "a,b", "a:123456"])
    assert.equal(sourceOrigin("http", host), undefined, host);
});
