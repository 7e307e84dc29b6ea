import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { httpUrlProblem } from "./http-url.ts";
import { upstreamPathProblem, upstreamUrl } from "./upstream-path.ts";

test("every spelling of an upstream path stays on the host and below the base path", () => {
  const piece = fc.constantFrom(
    "a",
    "/",
    "..",
    ".",
    "%2e",
    "%2E%2e",
    "%2f",
    "\\",
    "http://evil",
    "//",
    "?",
    "#",
    ":",
    "@",
    "\t",
    "é",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const path = `/${pieces.join("")}`;
      if (upstreamPathProblem(path) !== undefined) {
        assert.throws(() => upstreamUrl("http://h:1/base", path), RangeError);
        return;
      }
      const url = upstreamUrl("http://h:1/base", path);
      assert.equal(url.origin, "http://h:1");
      assert.ok(url.pathname.startsWith("/base/"), url.href);
    }),
    { numRuns: 3_000 },
  );
});

test("base and path are joined by one slash", () => {
  for (const [base, path, expected] of [
    ["http://h", "/", "http://h/"],
    ["http://h/b/", "/x?y=1", "http://h/b/x?y=1"],
    ["https://h:1/b", "/%7Ex", "https://h:1/b/~x"],
  ] as const)
    assert.equal(upstreamUrl(base, path).href, expected);
});

test("only the canonical spelling of a URL passes", () => {
  for (const text of ["http://h", "http://h/", "https://h:8443/base", "http://[::1]:9/"])
    assert.equal(httpUrlProblem(text), undefined);
  for (const text of [
    "http:h",
    "http:\\\\h\\",
    "http://h:80",
    "http://u@h",
    "http://h?",
    "http://h#",
    "ftp://h",
    "http://",
    "//h",
    "",
  ])
    assert.equal(typeof httpUrlProblem(text), "string", text);
  assert.match(httpUrlProblem("http://0x7f.1") ?? "", /must be written as "http:\/\/127\.0\.0\.1\/"/);
});
