import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller } from "@appserver/kernel";
import { limitKey } from "./limits.ts";

const alice: Caller = { kind: "user", id: "alice", displayName: "Alice" };
const bob: Caller = { kind: "user", id: "bob", displayName: "Bob" };
const clock: Caller = { kind: "app", name: "clock", id: "1" };
const notes: Caller = { kind: "app", name: "notes", id: "2" };
const anonymous: Caller = { kind: "anonymous" };

test("a key pattern counts callers of its own kind separately, and all other callers together", () => {
  const callers = [alice, bob, clock, notes, anonymous];
  const counters = {
    "user:{user_id}": ["user:alice:route:r", "user:bob:route:r", "route:r", "route:r", "route:r"],
    "app:{app_name}": ["route:r", "route:r", "app:clock:route:r", "app:notes:route:r", "route:r"],
    "ip:{remote_addr}": callers.map(() => "ip:203.0.113.9:route:r"),
    global: callers.map(() => "route:r"),
    caller: ["user:alice:route:r", "user:bob:route:r", "app:clock:route:r", "app:notes:route:r", "route:r"],
  };
  for (const [pattern, expected] of Object.entries(counters)) {
    const keys = callers.map((caller) => limitKey(pattern as keyof typeof counters, "r", caller, "203.0.113.9"));
    assert.deepEqual(keys, expected, pattern);
  }
});
