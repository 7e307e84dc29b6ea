import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { AppKey } from "@appserver/access";
import type { AppView, LiveApp, LiveApps } from "@appserver/marketplace";
import { ensureAppKeys } from "@appserver/sdk";
import { appKeys } from "./app-keys.ts";

const folder = mkdtempSync(join(tmpdir(), "app-keys-"));
const { certificate } = await ensureAppKeys(folder, "notes");
rmSync(folder, { recursive: true });
const notes = {
  app: { id: "1", name: "notes", state: "RUNNING" },
  certificate: Buffer.from(certificate),
} as unknown as LiveApp;

/** A registry of one app. `reads` counts the reads of the database, which `outage` makes fail. */
function registry() {
  const state = { ageMs: 0, reads: 0, outage: false, isInstalled: true };
  const apps = {
    ageMs: () => state.ageMs,
    current: async () => {
      state.reads += 1;
      if (state.outage) throw new Error("no database");
      return notes;
    },
    view: (_: unknown, form: (live: LiveApp) => AppKey | undefined): AppView<AppKey | undefined> => ({
      get: () => (state.isInstalled ? form(notes) : undefined),
      all: () => [],
    }),
  } as unknown as LiveApps;
  return { state, keys: appKeys(apps) };
}

test("a key comes from memory while memory agrees with the database", async () => {
  const { state, keys } = registry();
  const key = await keys.find("notes");
  assert.deepEqual([key?.id, key?.key.asymmetricKeyType, state.reads], ["1", "rsa", 0]);
});

test("a replica that has not reached the database for 25 seconds reads the key again, or refuses", async () => {
  const { state, keys } = registry();
  state.ageMs = 25_000;
  assert.ok(await keys.find("notes"));
  assert.equal(state.reads, 0);
  state.ageMs = 25_001;
  assert.ok(await keys.find("notes"));
  assert.equal(state.reads, 1);
  state.isInstalled = false;
  assert.equal(await keys.find("notes"), undefined);
  state.outage = true;
  await assert.rejects(async () => keys.find("notes"), /no database/);
});
