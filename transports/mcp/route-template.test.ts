import assert from "node:assert/strict";
import { test } from "node:test";
import { normalisePath } from "@appserver/contracts/patterns";
import fc from "fast-check";
import { RouteTemplate } from "./route-template.ts";

const paths: readonly (readonly [pattern: string, values: object, path: string])[] = [
  ["/items", {}, "/items"],
  ["/", {}, "/"],
  ["/items/{id}", { id: "a bü" }, "/items/a%20b%C3%BC"],
  ["/items/{id}", { id: 7 }, "/items/7"],
  ["/a/*/b/*", { segment2: "1", segment4: "2" }, "/a/1/b/2"],
  ["/a/{id}/b/{id}", { id: "1", id_2: "2" }, "/a/1/b/2"],
  ["/{__proto__}", JSON.parse('{"__proto__":"x"}'), "/x"],
  ["/files/**", { rest: ["a", "b.txt"] }, "/files/a/b.txt"],
  ["/files/**", { rest: [] }, "/files"],
  ["/files/{path...}", { path: ["a"] }, "/files/a"],
  ["/**", { rest: [] }, ""],
  ["/naïve/{x}", { x: ";?#&=" }, "/na%C3%AFve/%3B%3F%23%26%3D"],
  ["regex:/a[0-9]+(/b)?", { path: ["a1", "b"] }, "/a1/b"],
];

for (const [pattern, values, path] of paths)
  test(`${pattern} with ${JSON.stringify(values)} is the path ${path || "of the base"}`, () => {
    const template = RouteTemplate.ofPattern(pattern);
    assert.equal(template.path(values as Record<string, unknown>), path);
  });

test("a described path has parameters in parts of segments", () => {
  const template = RouteTemplate.ofPath("/items/{id}.{format}/x");
  assert.deepEqual(
    template.parameters.map(({ name }) => name),
    ["id", "format"],
  );
  assert.equal(template.path({ id: "1", format: "json" }), "/items/1.json/x");
});

test("values that a server may read as another path are refused", () => {
  const item = RouteTemplate.ofPattern("/items/{id}");
  for (const id of [
    "..",
    ".",
    "../admin",
    "a/b",
    "a\\b",
    "..%2fadmin",
    "%2e%2e",
    "a%5cb",
    "a\0",
    "a\nb",
    "..;x",
    ".;",
    "",
    "x".repeat(1_001),
  ])
    assert.throws(() => item.path({ id }), { code: "INVALID_REQUEST" }, JSON.stringify(id));
  for (const values of [{}, { id: null }, { id: ["a"] }, { id: {} }, { id: "a", other: "b" }, { ID: "a" }])
    assert.throws(() => item.path(values as Record<string, unknown>), { code: "INVALID_REQUEST" }, JSON.stringify(values));
  const files = RouteTemplate.ofPattern("/files/**");
  for (const rest of ["a", ["..", "x"], ["a", ""], ["a/b"], Array.from({ length: 101 }, () => "a")])
    assert.throws(() => files.path({ rest }), { code: "INVALID_REQUEST" }, JSON.stringify(rest).slice(0, 50));
});

test("a value that is accepted is one segment, which every server decodes to the same text", () => {
  const item = RouteTemplate.ofPattern("/items/{id}/x");
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 20 }), (id) => {
      let path: string;
      try {
        path = item.path({ id });
      } catch {
        return;
      }
      const [, items, value, last, ...others] = normalisePath(path).split("/");
      assert.deepEqual([items, decodeURIComponent(value ?? ""), last, others], ["items", id, "x", []]);
    }),
  );
});
