import assert from "node:assert/strict";
import { test } from "node:test";
import { AddressPolicy } from "./upstream-address.ts";

const strict = new AddressPolicy({ allow: [], deny: [], allowLoopback: false });

for (const address of [
  "127.0.0.1",
  "127.9.9.9",
  "::1",
  "0.0.0.0",
  "::",
  "169.254.169.254",
  "fe80::1",
  "fd00:ec2::254",
  "100.100.100.200",
  "10.0.0.1",
  "172.16.0.1",
  "192.168.1.1",
  "100.64.0.1",
  "fc00::1",
  "224.0.0.1",
  "255.255.255.255",
  "ff02::1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:169.254.169.254",
  "64:ff9b::a9fe:a9fe",
  "2002:7f00:1::",
  "2002:5db8:d822::1",
  "::127.0.0.1",
  "::ffff:0:127.0.0.1",
  "::ffff:0:10.0.0.1",
  "::10.0.0.1",
  "64:ff9b::10.0.0.1",
  "64:ff9b:1::93.184.216.34",
  "168.63.129.16",
  "192.0.0.1",
  "192.0.2.1",
  "192.88.99.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "240.0.0.1",
  "100::1",
  "2001::1",
  "2001:2::1",
  "2001:20::1",
  "2001:db8::1",
  "3fff::1",
  "4000::1",
  "5f00::1",
  "fec0::1",
  "fe80::1%lo",
  "2606:2800:220:1::1%lo",
  "nonsense",
  "",
]) {
  test(`${address || "nothing"} is refused as an upstream address`, () => assert.equal(strict.allows(address), false));
}

test("public addresses are allowed", () => {
  for (const address of [
    "93.184.216.34",
    "2606:2800:220:1::1",
    "::ffff:93.184.216.34",
    "64:ff9b::93.184.216.34",
    "172.32.0.1",
    "2001:4860:4860::8888",
    "2a00:1450:4001::1",
  ])
    assert.ok(strict.allows(address), address);
});

test("private ranges are allowed only if configured, metadata and dependencies never", () => {
  const policy = new AddressPolicy({
    allow: ["10.1.0.0/16", "169.254.0.0/16", "127.0.0.1"],
    deny: ["10.1.0.5", "93.184.216.34"],
    allowLoopback: false,
  });
  assert.ok(policy.allows("10.1.2.3"));
  for (const address of ["10.1.0.5", "10.2.0.1", "169.254.169.254", "127.0.0.1", "93.184.216.34"])
    assert.ok(!policy.allows(address), address);
});

test("loopback is allowed only in development, and other local addresses are not", () => {
  const policy = new AddressPolicy({ allow: [], deny: [], allowLoopback: true });
  for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) assert.ok(policy.allows(address), address);
  assert.ok(!policy.allows("0.0.0.0") && !policy.allows("10.0.0.1"));
});

test("an invalid range is refused", () => {
  for (const range of ["10.0.0.0/33", "host", "10.0.0.0/x", "/8"]) {
    assert.throws(() => new AddressPolicy({ allow: [range], deny: [], allowLoopback: false }), RangeError, range);
  }
});
