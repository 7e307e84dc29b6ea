import assert from "node:assert/strict";
import { test } from "node:test";
import type { RequestHead } from "@appserver/kernel";
import { TrustedProxies } from "./trusted-proxies.ts";

function request(remoteAddress: string, headers: Readonly<Record<string, string>> = {}): RequestHead {
  return { peerAddress: remoteAddress, header: (name: string) => headers[name] } as unknown as RequestHead;
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

test("the forms of an address that proxies write lead to the same client", () => {
  const proxies = new TrustedProxies(["10.0.0.0/8", "2001:db8:1::/48"]);
  const client = (forwardedFor: string) =>
    proxies.clientOf(request("10.0.0.1", { "x-forwarded-for": forwardedFor })).remoteAddress;
  for (const [forwardedFor, expected] of [
    ["203.0.113.7:55220", "203.0.113.7"],
    ["203.0.113.7:55220, 10.0.0.2:443", "203.0.113.7"],
    ["[2001:db8::7]:55220", "2001:db8::7"],
    ["[2001:db8::7]", "2001:db8::7"],
    ['"[2001:db8::7]:55220", [2001:db8:1::5]:80', "2001:db8::7"],
    ["2001:DB8::7", "2001:db8::7"],
    ["::FFFF:203.0.113.7", "203.0.113.7"],
    ["[::ffff:203.0.113.7]:1", "203.0.113.7"],
    ["fe80::7%eth0", "fe80::7"],
    // Not the address of a client: the proxy is the nearest one that is known.
    ["unknown", "10.0.0.1"],
    ["_hidden", "10.0.0.1"],
    ["203.0.113.7:http", "10.0.0.1"],
    ["203.0.113.7:", "10.0.0.1"],
    ["[203.0.113.7", "10.0.0.1"],
    ["a.example:80", "10.0.0.1"],
  ] as const)
    assert.equal(client(forwardedFor), expected, forwardedFor);
});

test("the protocol of a WebSocket is that of its handshake", () => {
  const proxies = new TrustedProxies(["10.0.0.1"]);
  for (const [sent, expected] of [
    ["wss", "https"],
    ["ws", "http"],
  ] as const)
    assert.equal(proxies.clientOf(request("10.0.0.1", { "x-forwarded-proto": sent })).protocol, expected);
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
  assert.equal(told("http", "app_server:8080").host, "app_server:8080");
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
