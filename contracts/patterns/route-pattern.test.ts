import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { normalisePath } from "./normalise-path.ts";
import { parseRoutePattern, regexOfPattern } from "./route-pattern.ts";

describe("a route pattern is parsed", () => {
  for (const [text, segments, isPrefix] of [
    ["/", [""], false],
    ["/items", ["items"], false],
    ["/items/", ["items", ""], false],
    ["/items/*", ["items", undefined], false],
    ["/items/{id}/parts", ["items", undefined, "parts"], false],
    ["/items/**", ["items"], true],
    ["/items/{path...}", ["items"], true],
    ["/**", [], true],
    ["/caf\u00e9/%7ex", ["caf%C3%A9", "~x"], false],
  ] as const) {
    test(text, () => assert.deepEqual(parseRoutePattern(text), { kind: "path", segments, isPrefix }));
  }

  test("regex:/r/[0-9]+", () => {
    const pattern = parseRoutePattern("regex:/r/[0-9]+");
    assert.ok("kind" in pattern && pattern.kind === "regex");
    assert.equal(pattern.expression.source, "/r/[0-9]+");
    assert.deepEqual(["regex:/r", "regex:", "/regex:/r"].map(regexOfPattern), ["/r", "", undefined]);
  });
});

describe("a route pattern is refused", () => {
  for (const [text, problem] of [
    ["", /^is required$/],
    ["items", /^must start with "\/" or "regex:", got "items"$/],
    [`/${"a".repeat(1_000)}`, /^has 1001 characters; expected at most 1000$/],
    ["/a*b", /^has the segment "a\*b"; literals/],
    ["/**/a", /^has the segment "\*\*"; literals/],
    ["/{a...}/b", /^has the segment "{a...}"; literals/],
    ["/{}", /^has the segment "{}"; literals/],
    ["/{1a}", /^has the segment "{1a}"; literals/],
    ["/a//b", /^has the segment ""; literals/],
    ["/a b", /^has the segment "a b"; literals/],
    ["/a/../b", /^has the segment "\.\.", which no request can contain: the path contains a dot segment$/],
    ["/a%2Fb", /^has the segment "a%2Fb", which no request can contain: the path contains an encoded slash/],
    ["/%zz", /^has the segment "%zz", which no request can contain: the path contains a malformed escape/],
    ["regex:", /^has an empty regular expression$/],
    ["regex:(", /^is not a regular expression in RE2 syntax/],
    ["regex:(?=a)b", /^is not a regular expression in RE2 syntax/],
    ["regex:(a)\\1", /^is not a regular expression in RE2 syntax/],
    ["regex:a{101}", /^repeats more than 100 times/],
  ] as const) {
    test(text.slice(0, 20) || "the empty text", () => {
      const parsed = parseRoutePattern(text);
      assert.match("problem" in parsed ? parsed.problem : "", problem);
    });
  }
});

test("every text is a pattern or has a problem, and a literal equals the normal form of the paths that it matches", () => {
  const piece = fc.constantFrom("/", "a", "*", "**", "{id}", "{p...}", "%7e", "%2f", "\u00e9", "..", ";", " ", "{", "regex:");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const parsed = parseRoutePattern(pieces.join(""));
      if ("problem" in parsed) return assert.notEqual(parsed.problem, "");
      if (parsed.kind === "regex") return;
      const path = `/${parsed.segments.map((segment) => segment ?? "x").join("/")}`;
      assert.equal(normalisePath(path), path);
    }),
    { numRuns: 3_000 },
  );
});
