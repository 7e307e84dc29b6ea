import assert from "node:assert/strict";
import { test } from "node:test";
import { isCrossSite } from "./cross-site.ts";

const allowed = new Set(["https://shell.example"]);
const none = { origin: undefined, secFetchSite: undefined, host: "h:8080" };

test("pages of the own origin, of allowed origins and requests without a page are of the same site", () => {
  for (const context of [
    none,
    { ...none, origin: "http://h:8080" },
    { ...none, origin: "https://h:8080" },
    { ...none, origin: "http://h:8080", host: "H:8080" },
    { ...none, origin: "https://shell.example" },
    { ...none, secFetchSite: "same-origin" },
    { ...none, origin: "http://h:8080", secFetchSite: "same-origin" },
    // The page has `Referrer-Policy: no-referrer`.
    { ...none, origin: "null", secFetchSite: "same-origin" },
    // A reverse proxy has replaced `Host`.
    { ...none, origin: "https://apps.example", secFetchSite: "same-origin" },
    { ...none, origin: "https://shell.example", secFetchSite: "cross-site" },
    { ...none, origin: "https://shell.example", secFetchSite: "same-site" },
    { ...none, secFetchSite: "none" },
    { ...none, origin: "http://h:8080", secFetchSite: "none" },
  ])
    assert.equal(isCrossSite(context, allowed), false, JSON.stringify(context));
});

test("every other origin is of another site, and so is every page that the browser reports as one", () => {
  for (const context of [
    { ...none, origin: "https://evil.example" },
    { ...none, origin: "null" },
    { ...none, origin: "" },
    { ...none, origin: "http://h" },
    { ...none, origin: "http://h:8080.evil.example" },
    { ...none, origin: "http://h:8080", host: undefined },
    { ...none, origin: "chrome-extension://h:8080" },
    { ...none, secFetchSite: "cross-site" },
    { ...none, secFetchSite: "same-site" },
    { ...none, secFetchSite: "" },
    { ...none, secFetchSite: "same-origin, cross-site" },
    // The sandboxed page of an app, or a request that another site redirected.
    { ...none, origin: "null", secFetchSite: "cross-site" },
    { ...none, origin: "null", secFetchSite: "same-site" },
    { ...none, origin: "null", secFetchSite: "none" },
    { ...none, origin: "https://evil.example", secFetchSite: "cross-site" },
    { ...none, origin: "https://evil.example", secFetchSite: "none" },
    // The page has the other scheme.
    { ...none, origin: "http://h:8080", secFetchSite: "same-site" },
    { ...none, origin: "http://h:8080", secFetchSite: "cross-site" },
  ])
    assert.equal(isCrossSite(context, allowed), true, JSON.stringify(context));
});
