import assert from "node:assert/strict";
import { createSecretKey, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { AppKey } from "@appserver/access";
import type { LiveApp, LiveApps } from "@appserver/marketplace";
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

test("the keys of running deployments come with the key of the certificate", async () => {
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const issued: IssuedIdentity[] = [];
  const apps = { ageMs: () => 1, view: (_: unknown, form: (live: LiveApp) => AppKey) => ({ get: () => form(notes) }) };
  const identities = { ageMs: () => 2, ofApp: () => issued, refresh: async () => {} };
  const keys = appKeys(apps as unknown as LiveApps, identities);
  const key = await keys.find("notes");
  assert.deepEqual([key?.id, key?.key.asymmetricKeyType, key?.workloadKeys, keys.ageMs()], ["1", "rsa", undefined, 2]);
  const identity = { appId: "1", appName: "notes", generation: 1, forwardKey: createSecretKey(Buffer.alloc(32)) };
  issued.push({ ...identity, publicKey, certificateEndsAt: new Date(5_000) });
  assert.deepEqual((await keys.find("notes"))?.workloadKeys, [{ key: publicKey, validTo: 5_000 }]);
});
