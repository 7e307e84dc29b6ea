import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { test } from "node:test";
import type { AppKey } from "../../ports.ts";
import { trustedKeys } from "./trusted-keys.ts";

test("a replica that has not reached the database for 25 seconds reads the key again, or rejects", async () => {
  const stored = new Map<string, AppKey>([["notes", { id: "1", key: createSecretKey(Buffer.alloc(32)) }]]);
  const state = { ageMs: 25_000, reads: 0, outage: false };
  const keys = trustedKeys({
    find: (name) => stored.get(name),
    ageMs: () => state.ageMs,
    refresh: async (name) => {
      state.reads += 1;
      if (state.outage) throw new Error("no database");
      stored.delete(name);
    },
  });
  assert.deepEqual([keys.find("notes"), state.reads], [stored.get("notes"), 0]);
  state.ageMs = 25_001;
  assert.deepEqual([await keys.find("notes"), state.reads], [undefined, 1]);
  state.outage = true;
  await assert.rejects(async () => keys.find("notes"), /no database/);
});
