import assert from "node:assert/strict";
import { test } from "node:test";
import { isCrossSite } from "./cross-site.ts";

const allowed = new Set(["https://console.example.org"]);
const crosses = (origin: string | undefined, host: string | undefined, secFetchSite?: string): boolean =>
  isCrossSite({ origin, host, secFetchSite }, allowed);

test("a page of the request's own host or of an allowed origin is not of another site, on http and https", () => {
  assert.equal(crosses("http://apps.example.com", "apps.example.com"), false);
  assert.equal(crosses("https://apps.example.com", "apps.example.com"), false);
  assert.equal(crosses("https://apps.example.com:8443", "apps.example.com:8443"), false);
  assert.equal(crosses("https://console.example.org", "apps.example.com"), false);
});

test("a page of another host, of another port or without an origin is of another site", () => {
  assert.equal(crosses("https://evil.example", "apps.example.com"), true);
  assert.equal(crosses("https://apps.example.com:8443", "apps.example.com"), true);
  assert.equal(crosses("http://console.example.org", "apps.example.com"), true);
  assert.equal(crosses("null", "apps.example.com"), true);
});

test("without an origin, Sec-Fetch-Site decides", () => {
  assert.equal(crosses(undefined, "apps.example.com", "cross-site"), true);
  assert.equal(crosses(undefined, "apps.example.com", "same-site"), true);
  assert.equal(crosses(undefined, "apps.example.com", "same-origin"), false);
  assert.equal(crosses(undefined, "apps.example.com"), false);
  assert.equal(crosses("https://apps.example.com", "apps.example.com", "cross-site"), false);
});

// The listener's rule (`Origins.isForgery`) refuses these. That is why the two rules are not one.
test("a default port, another scheme and a host in upper case are of the same site", () => {
  assert.equal(crosses("http://apps.example.com:80", "apps.example.com"), false);
  assert.equal(crosses("app://apps.example.com", "apps.example.com"), false);
  assert.equal(crosses("https://apps.example.com", "APPS.example.com"), false);
});
