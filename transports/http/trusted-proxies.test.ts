import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { TrustedProxies } from "./trusted-proxies.ts";

function request(remoteAddress: string, headers: Readonly<Record<string, string>> = {}): IncomingMessage {
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

const forged = { "x-forwarded-for": "6.6.6.6", "x-forwarded-proto": "https", "x-forwarded-host": "evil.example" };

test("forwarding headers are ignored unless they come from a trusted proxy", () => {
  assert.deepEqual(new TrustedProxies([]).clientOf(request("203.0.113.9", forged)), { remoteAddress: "203.0.113.9" });
  const proxies = new TrustedProxies(["10.0.0.0/8"]);
  assert.deepEqual(proxies.clientOf(request("203.0.113.9", forged)), { remoteAddress: "203.0.113.9" });
});

test("behind proxies, the client is the nearest address that is not a trusted proxy", () => {
  const proxies = new TrustedProxies(["10.0.0.0/8", "::1"]);
  const client = (peer: string, forwardedFor: string) =>
    proxies.clientOf(request(peer, { "x-forwarded-for": forwardedFor })).remoteAddress;
  assert.equal(client("::ffff:10.0.0.1", "6.6.6.6, 203.0.113.9, 10.0.0.2"), "203.0.113.9");
  assert.equal(client("::1", "2001:db8::1"), "2001:db8::1");
  assert.equal(client("10.0.0.1", "6.6.6.6, nonsense"), "10.0.0.1");
  assert.equal(client("10.0.0.1", "10.0.0.2"), "10.0.0.2");
  assert.equal(client("10.0.0.1", "6.6.6.6, ::ffff:10.0.0.2"), "6.6.6.6");
  assert.equal(client("10.0.0.1", "6.6.6.6, 0x0a.2"), "10.0.0.1");
  assert.equal(client("10.0.0.1", ""), "10.0.0.1");
});

test("protocol and host are those that the nearest proxy reports, if they are valid", () => {
  const proxies = new TrustedProxies(["10.0.0.1"]);
  const told = (proto: string, host: string) =>
    proxies.clientOf(request("10.0.0.1", { "x-forwarded-proto": proto, "x-forwarded-host": host }));
  assert.deepEqual(told("HTTPS", "shop.example:8443"), {
    remoteAddress: "10.0.0.1",
    protocol: "https",
    host: "shop.example:8443",
  });
  assert.deepEqual(told("http, https", "evil.example, [::1]:80"), {
    remoteAddress: "10.0.0.1",
    protocol: "https",
    host: "[::1]:80",
  });
  assert.deepEqual(told("gopher", "a b"), { remoteAddress: "10.0.0.1" });
});

test("a network may contain every address", () => {
  const proxies = new TrustedProxies(["0.0.0.0/0"]);
  assert.equal(proxies.clientOf(request("203.0.113.9", forged)).remoteAddress, "6.6.6.6");
  assert.equal(proxies.clientOf(request("2001:db8::1", forged)).remoteAddress, "2001:db8::1");
});

test("an entry that is neither an address nor a network is refused", () => {
  for (const entry of ["", "proxy.example", "10.0.0.0/33", "10.0.0.0/x"]) assert.throws(() => new TrustedProxies([entry]));
});
