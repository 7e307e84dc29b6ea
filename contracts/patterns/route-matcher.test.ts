import assert from "node:assert/strict";
import { test } from "node:test";
import { matchLimits, RouteMatcher } from "./route-matcher.ts";

function winner(patterns: readonly string[], path: string): string | undefined {
  return new RouteMatcher(patterns.map((pattern) => ({ pattern }))).match(path)?.[0]?.pattern;
}

const patterns = [
  "regex:/reports/[0-9]{4}",
  "regex:/.*",
  "/items/**",
  "/items/*",
  "/items/{id}/parts/{path...}",
  "/items",
  "/items/special",
  "/a/{x}/c",
  "/{y}/b/c",
];

for (const [path, expected] of [
  ["/items", "/items"],
  ["/items/special", "/items/special"],
  ["/items/7", "/items/*"],
  ["/items/7/8", "/items/**"],
  ["/items/", "/items/**"],
  ["/items/7/parts", "/items/{id}/parts/{path...}"],
  ["/items/7/parts/a/b", "/items/{id}/parts/{path...}"],
  ["/itemsX", "regex:/.*"],
  ["/reports/2026", "regex:/reports/[0-9]{4}"],
  ["/reports/20261", "regex:/.*"],
  ["/a/b/c", "/a/{x}/c"],
  ["/z/b/c", "/{y}/b/c"],
] as const) {
  test(`${path} is taken by ${expected}`, () => assert.equal(winner(patterns, path), expected));
}

test("a prefix matches its stem and below, a single segment exactly one, an exact path itself", () => {
  assert.equal(winner(["/items/**"], "/itemsX"), undefined);
  assert.equal(winner(["/items/**"], "/items"), "/items/**");
  assert.equal(winner(["/items/*"], "/items"), undefined);
  assert.equal(winner(["/items/*"], "/items/"), undefined);
  assert.equal(winner(["/items/*"], "/items/a/b"), undefined);
  assert.equal(winner(["/items"], "/items/"), undefined);
  assert.equal(winner(["/"], "/"), "/");
  assert.equal(winner(["/**"], "/anything/at/all"), "/**");
});

test("routes of one pattern share a place, whatever their parameters are called", () => {
  const routes = [
    { pattern: "/notes/{id}", method: "GET" },
    { pattern: "/notes/*", method: "PUT" },
    { pattern: "regex:/r", method: "GET" },
    { pattern: "regex:/r", method: "PUT" },
  ];
  const matcher = new RouteMatcher(routes);
  assert.deepEqual(matcher.match("/notes/1"), routes.slice(0, 2));
  assert.deepEqual(matcher.match("/r"), routes.slice(2));
});

test("literal segments are compared in their normal form", () => {
  assert.equal(winner(["/caf\u00e9/%7Ex"], "/caf%C3%A9/~x"), "/caf\u00e9/%7Ex");
});

for (const pattern of [
  "items",
  "/a*b",
  "/**/a",
  "/{a...}/b",
  "/{}",
  "/{1a}",
  "/a/../b",
  "regex:(",
  "regex:(?=a)b",
  "regex:(a)\\1",
  `/${"a".repeat(1_000)}`,
]) {
  test(`the pattern ${pattern.slice(0, 20)} is refused`, () => assert.throws(() => winner([pattern], "/"), RangeError));
}

test("evil patterns stay linear", () => {
  const text = `/${"a".repeat(100_000)}!`;
  for (const pattern of ["regex:/(a+)+$", "regex:/(a|aa)+$", "regex:/(.*a){12}$"]) {
    assert.equal(winner([pattern], text), undefined, pattern);
  }
});

test("a path that is too long for the regex routes matches none of them", () => {
  const path = (length: number) => `/${"a".repeat(length - 1)}`;
  assert.equal(winner(["regex:/a*"], path(matchLimits.pathLength)), "regex:/a*");
  assert.equal(winner(["regex:/a*"], path(matchLimits.pathLength + 1)), undefined);
  assert.equal(winner(["/{id}", "regex:/a*"], path(matchLimits.pathLength + 1)), "/{id}");
});

test("regex routes that exceed the step budget on a path do not match it", () => {
  const letters = Array.from({ length: 4_000 }, (_, index) => (Math.sin(index) > 0 ? "a" : "b")).join("");
  const explosive = ["regex:/.*a.{90}x", "regex:/.*b.{90}x", "regex:/.*a.{91}x"];
  assert.equal(winner(explosive, `/a${letters.slice(0, 90)}x`), "regex:/.*a.{90}x");
  assert.equal(winner(explosive, `/${letters}`), undefined);
  assert.equal(winner([...explosive, "regex:/[ab]*"], `/${letters}`), "regex:/[ab]*");
});

test("expressions that are too large together do not compile", () => {
  const routes = (count: number) => Array.from({ length: count }, (_, index) => ({ pattern: `regex:/${index}/[a-z]{90}` }));
  new RouteMatcher(routes(10));
  assert.throws(() => new RouteMatcher(routes(30)), /the regex routes have \d+ instructions together; expected at most 2000/);
});
