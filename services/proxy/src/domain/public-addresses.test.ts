import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type BackendAddresses, publicValue } from "./public-addresses.ts";

const backend = (more: Partial<BackendAddresses> & { root?: string } = {}): BackendAddresses => ({
  upstream: { host: "app-demo:3000", target: (path) => (more.root ?? "") + path },
  prefix: "/api/apps/demo",
  isBase: false,
  ...more,
});
const stripped = backend();
const below = backend({ root: "/inner" });
const whole = backend({ prefix: "" });
const wholeBelow = backend({ prefix: "", root: "/inner" });
const atBase = backend({ isBase: true });

describe("an address of the backend becomes the public one, and every other one stays", () => {
  const rows: readonly (readonly [rules: BackendAddresses, value: string, expected: string])[] = [
    [stripped, "/items/1?a=b#c", "/api/apps/demo/items/1?a=b#c"],
    [stripped, "/", "/api/apps/demo/"],
    [stripped, "http://app-demo:3000/x/", "/api/apps/demo/x/"],
    [stripped, "HTTPS://App-Demo:3000/x/", "/api/apps/demo/x/"],
    [stripped, "//app-demo:3000/x", "/api/apps/demo/x"],
    [stripped, "http://app-demo:3000", "/api/apps/demo/"],
    [stripped, "http://app-demo:3000?a=b", "/api/apps/demo/?a=b"],
    // The backend uses X-Forwarded-Prefix.
    [stripped, "/api/apps/demo/items", "/api/apps/demo/items"],
    [stripped, "/api/apps/demo?x", "/api/apps/demo?x"],
    [stripped, "/api/apps/demox", "/api/apps/demo/api/apps/demox"],
    [stripped, "http://app-demo:3000/api/apps/demo/items", "/api/apps/demo/items"],
    [stripped, "items/2", "items/2"],
    [stripped, "?page=2", "?page=2"],
    [stripped, "", ""],
    [stripped, "https://other.example/x", "https://other.example/x"],
    [stripped, "http://app-demo:3001/x", "http://app-demo:3001/x"],
    [stripped, "http://app-demo:3000@evil.example/", "http://app-demo:3000@evil.example/"],
    [stripped, "//evil.example/x", "//evil.example/x"],
    [stripped, "mailto:a@app-demo:3000", "mailto:a@app-demo:3000"],
    [stripped, "/\xe6\xbc\x8f", "/api/apps/demo/\xe6\xbc\x8f"],
    [below, "/inner/items", "/api/apps/demo/items"],
    [below, "/inner", "/api/apps/demo"],
    [below, "/login", "/api/apps/demo/login"],
    [below, "http://app-demo:3000/inner/x", "/api/apps/demo/x"],
    [whole, "/api/apps/demo/x", "/api/apps/demo/x"],
    [whole, "/elsewhere", "/elsewhere"],
    [whole, "http://app-demo:3000/api/apps/demo/x/", "/api/apps/demo/x/"],
    [whole, "http://app-demo:3000//evil.example/", "/.//evil.example/"],
    [wholeBelow, "/inner/api/apps/demo/x", "/api/apps/demo/x"],
    [wholeBelow, "/inner//evil.example/", "/.//evil.example/"],
    [wholeBelow, "/inner", "/"],
    // Relative to /api/apps/demo, the reference would lead to another app.
    [atBase, "items", "/api/apps/demo/items"],
    [atBase, "?page=2", "?page=2"],
    [atBase, "#top", "#top"],
    [atBase, "https:", "https:"],
  ];
  for (const [rules, value, expected] of rows)
    test(`${value} below ${rules.prefix}, backend at ${rules.upstream.target("/")}`, () => {
      assert.equal(publicValue("location", value, rules), expected);
      assert.equal(publicValue("content-location", value, rules), expected);
    });
});

describe("addresses within values", () => {
  const rows: readonly (readonly [name: string, value: string, expected: string])[] = [
    [
      "link",
      '</s.css>; rel=preload; as=style, <p2>; rel="next"',
      '</api/apps/demo/s.css>; rel=preload; as=style, <p2>; rel="next"',
    ],
    [
      "link",
      '<http://app-demo:3000/a>; title="</b> \\" </c>", </d>',
      '</api/apps/demo/a>; title="</b> \\" </c>", </api/apps/demo/d>',
    ],
    ["link", "</never closed", "</never closed"],
    ["refresh", "5; url=/x", "5; url=/api/apps/demo/x"],
    ["refresh", "0;URL='/x'", "0;URL='/api/apps/demo/x'"],
    ["refresh", "1.5, http://app-demo:3000/x", "1.5, /api/apps/demo/x"],
    ["refresh", "30", "30"],
    ["refresh", "5; url=https://other.example/", "5; url=https://other.example/"],
  ];
  for (const [name, value, expected] of rows)
    test(`${name}: ${value}`, () => assert.equal(publicValue(name, value, stripped), expected));
});
