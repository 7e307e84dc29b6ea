import assert from "node:assert/strict";
import { test } from "node:test";
import { isCrossSite } from "./cross-site.ts";

const allowed = new Set(["https://shell.example"]);
const none = { origin: undefined, secFetchSite: undefined, host: "h:8080" };

test("pages of the own host, of allowed origins and requests without a page are of the same site", () => {
  for (const context of [
    none,
    { ...none, origin: "http://h:8080" },
    { ...none, origin: "https://h:8080" },
    { ...none, origin: "http://h:8080", host: "H:8080" },
    { ...none, origin: "https://shell.example" },
    { ...none, origin: "http://h:8080", secFetchSite: "cross-site" },
    { ...none, secFetchSite: "same-origin" },
    { ...none, secFetchSite: "none" },
  ])
    assert.equal(isCrossSite(context, allowed), false, JSON.stringify(context));
});

test("every other origin is of another site, and so is a page that the browser reports without its origin", () => {
  for (const context of [
    { ...none, origin: "https://evil.example" },
    { ...none, origin: "null" },
    { ...none, origin: "" },
    { ...none, origin: "http://h" },
    { ...none, origin: "http://h:8080.evil.example" },
    { ...none, origin: "http://h:8080", host: undefined },
    { ...none, origin: "chrome-extension://h:8080" },
    { ...none, origin: "https://evil.example", secFetchSite: "same-origin" },
    { ...none, secFetchSite: "cross-site" },
    { ...none, secFetchSite: "same-site" },
  ])
    assert.equal(isCrossSite(context, allowed), true, JSON.stringify(context));
});
