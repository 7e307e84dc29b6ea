import assert from "node:assert/strict";
import { test } from "node:test";
import { platformOperations } from "@appserver/contracts/operations";
import fc from "fast-check";
import { appToolName, appToolPrefix, toolPrefixOf } from "./app-tool-name.ts";

const key = Buffer.alloc(32, 1);

test("a name has the app, the operation and an end that only the platform can make", () => {
  const route = { app: "com.example.notes", method: "GET", path: "/items/{id}" };
  const name = appToolName(route, key);
  assert.match(name, /^app__com_example_notes__get_items_id_[0-9a-f]{8}$/);
  assert.equal(appToolName(route, key), name);
  assert.notEqual(appToolName(route, Buffer.alloc(32, 2)), name);
});

test("whatever an app is called and has, its names are short, plain and none of the platform", () => {
  const names = Object.keys(platformOperations);
  assert.ok(!names.some((name) => name.startsWith(appToolPrefix)));
  const app = fc.stringMatching(/^[a-z0-9]{1,20}([._-][a-z0-9]{1,20}){0,2}$/);
  const method = fc.constantFrom("GET", "POST", "DELETE");
  fc.assert(
    fc.property(app, method, fc.string({ unit: "binary", maxLength: 200 }), (of, verb, path) => {
      const name = appToolName({ app: of, method: verb, path }, key);
      assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
      assert.ok(name.startsWith(toolPrefixOf(of)));
    }),
  );
});

test("similar routes have different names", () => {
  const long = "x".repeat(60);
  const routes = [
    { app: "com.a-b", method: "GET", path: "/a" },
    { app: "com.a.b", method: "GET", path: "/a" },
    { app: "com.a-b", method: "GET", path: "/{a}" },
    { app: "com.a-b", method: "GET", path: "/a/" },
    { app: "com.a-b", method: "GET", path: `/${long}1` },
    { app: "com.a-b", method: "GET", path: `/${long}2` },
    { app: `a.${long}`, method: "GET", path: "/a" },
    { app: `b.${long}`, method: "GET", path: "/a" },
  ];
  assert.equal(new Set(routes.map((route) => appToolName(route, key))).size, routes.length);
});
