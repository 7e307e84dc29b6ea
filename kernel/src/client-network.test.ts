import assert from "node:assert/strict";
import { test } from "node:test";
import { anonymousCaller } from "./caller.ts";
import { clientNetwork, countedCaller } from "./client-network.ts";

test("an IPv6 client is its network", () => {
  const rows: readonly (readonly [address: string, network: string])[] = [
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8::5", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
    ["203.0.113.9", "203.0.113.9"],
    ["::ffff:203.0.113.9", "::ffff:203.0.113.9"],
    ["", ""],
  ];
  for (const [address, network] of rows) assert.equal(clientNetwork(address), network, address);
});

test("users and apps are counted by name, strangers by network", () => {
  assert.equal(countedCaller({ kind: "user", id: "alice", displayName: "Alice" }, "203.0.113.9"), "user:alice");
  assert.equal(countedCaller({ kind: "app", name: "com.example.a", id: "1" }, "203.0.113.9"), "app:com.example.a");
  assert.equal(countedCaller(anonymousCaller, "2001:db8::5"), "ip:2001:db8:0:0");
});
