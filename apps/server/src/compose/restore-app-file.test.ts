import assert from "node:assert/strict";
import { test } from "node:test";
import type { AppFileManifest } from "../backup/app-file-manifest.ts";
import { refuseOther } from "./restore-app-file.ts";

const clients = { major: 16, dump: "pg_dump", restore: "pg_restore" };
const platform = { apps: { major: 16, clientsFor: () => clients } };
const app = { name: "com.example.notes", version: "1.2.0", storage: ["data"] };
const manifest: AppFileManifest = {
  kind: "app",
  format: 1,
  platform: "0.1.0",
  instance: "other",
  moment: "2026-01-01T00:00:00.000Z",
  app: { name: app.name, version: "1.2.0", manifestDigest: "digest" },
  database: { server: 15, client: 16, bytes: 8_000_000 },
  storage: [{ name: "data", usedBytes: 1 }],
};

test("an app gets data of its own, of a version that it understands, on a server that takes it", () => {
  const refuse = (more: Partial<AppFileManifest>, on: Parameters<typeof refuseOther>[0] = platform) =>
    refuseOther(on, app, { ...manifest, ...more });
  refuse({});
  refuse({ app: { ...manifest.app, version: "1.1.9" }, storage: [] });
  const cases: readonly (readonly [Partial<AppFileManifest>, RegExp])[] = [
    [{ app: { ...manifest.app, name: "com.example.other" } }, /data of com\.example\.other, and not of com\.example\.notes/],
    [{ app: { ...manifest.app, version: "1.10.0" } }, /version 1\.2\.0 is installed, .* upgrade the app first/],
    [{ app: { ...manifest.app, version: "new" } }, /upgrade the app first/],
    [{ storage: [{ name: "more", usedBytes: 1 }] }, /storage "more", which com\.example\.notes 1\.2\.0 does not declare/],
    [{ database: { server: 17, client: 17, bytes: 1 } }, /of PostgreSQL 17, and the server here is PostgreSQL 16/],
  ];
  for (const [more, message] of cases) assert.throws(() => refuse(more), { name: "BackupError", message });
  const withoutDatabases = { apps: undefined };
  assert.throws(() => refuse({}, withoutDatabases), { message: /apps have none of their own/ });
});
