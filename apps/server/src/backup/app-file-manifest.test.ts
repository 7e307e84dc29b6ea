import assert from "node:assert/strict";
import { test } from "node:test";
import { type AppFileManifest, parseAppFileManifest } from "./app-file-manifest.ts";
import { backupFormat, parseManifest } from "./manifest.ts";

const manifest: AppFileManifest = {
  kind: "app",
  format: 1,
  platform: "0.1.0",
  instance: "test",
  moment: "2026-01-01T00:00:00.000Z",
  app: { name: "com.example.notes", version: "1.0.0", manifestDigest: "digest" },
  storage: [],
};

test("the file of an app and the backup of a platform are not taken for each other", () => {
  assert.deepEqual(parseAppFileManifest(JSON.stringify(manifest)), manifest);
  assert.throws(() => parseManifest(JSON.stringify(manifest)), { name: "BackupError", message: /restore it with --app/ });
  const ofPlatform = JSON.stringify({ format: backupFormat, platform: "0.1.0" });
  assert.throws(() => parseAppFileManifest(ofPlatform), { name: "BackupError", message: /restore it without --app/ });
});

test("another kind, and a newer format, are refused with the version that reads them", () => {
  for (const other of [{ kind: "settings" }, { format: 2 }])
    assert.throws(() => parseAppFileManifest(JSON.stringify({ ...manifest, ...other, platform: "9.0.0" })), {
      name: "BackupError",
      message: /restore it with version 9\.0\.0 of the platform/,
    });
});
