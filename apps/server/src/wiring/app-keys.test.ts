import assert from "node:assert/strict";
import { createSecretKey, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { AppKey } from "@appserver/access";
import type { AppView, LiveApp, LiveApps } from "@appserver/marketplace";
import type { IssuedIdentity } from "@appserver/orchestration";
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
  const state = { ageMs: 0, identitiesAgeMs: 0, reads: 0, outage: false, isInstalled: true, issued: [] as IssuedIdentity[] };
  const identities = {
    ageMs: () => state.identitiesAgeMs,
    ofApp: () => state.issued,
    refresh: async () => {
      if (state.outage) throw new Error("no database");
      state.issued = [];
    },
  };
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
  return { state, keys: appKeys(apps, identities) };
}

test("a key comes from memory while memory agrees with the database", async () => {
  const { state, keys } = registry();
  const key = await keys.find("notes");
  assert.deepEqual([key?.id, key?.key?.asymmetricKeyType, state.reads], ["1", "rsa", 0]);
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

test("the keys of running deployments come with it, and are read again when they were not compared with the database for 25 s", async () => {
  const { state, keys } = registry();
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const certificateEndsAt = new Date(5_000);
  state.issued = [
    {
      appId: "1",
      appName: "notes",
      generation: 1,
      publicKey,
      certificateEndsAt,
      forwardKey: createSecretKey(Buffer.alloc(32)),
    },
  ];
  const found = await keys.find("notes");
  assert.deepEqual(found?.workloadKeys, [{ key: publicKey, validTo: 5_000 }]);
  assert.ok(found.key);
  state.identitiesAgeMs = 25_001;
  assert.equal((await keys.find("notes"))?.workloadKeys, undefined);
  state.outage = true;
  await assert.rejects(async () => keys.find("notes"), /no database/);
});
