import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ensureAppKeys } from "./app-keys.ts";
import { folderBackend } from "./folder-backend.ts";
import { folderCommands } from "./folder-commands.ts";
import { loadManifest } from "./load-manifest.ts";

const folder = mkdtempSync(join(tmpdir(), "appserver-commands-"));
after(() => rmSync(folder, { recursive: true }));
const write = (text: string): void =>
  writeFileSync(join(folder, "app.yaml"), `name: com.example.notes\nversion: 1.0.0\n${text}`);

test("app.yaml says how its folder is built and started; the manifest has nothing of it", async () => {
  write("build: [go, build, -o, dist/server, .]\ncommand: [./dist/server]\n");
  assert.deepEqual(folderCommands(folder), { build: ["go", "build", "-o", "dist/server", "."], command: ["./dist/server"] });
  assert.deepEqual(folderBackend(folder), { language: "any", command: ["./dist/server"] });
  const { manifest } = await loadManifest(folder, await ensureAppKeys(folder, "com.example.notes"));
  assert.equal(manifest.name, "com.example.notes");
});

test("app.yaml names the folders of the page, which are below its own", async () => {
  write("page: [web, dist/page]\n");
  assert.deepEqual(folderCommands(folder), { page: ["web", "dist/page"] });
  const keys = await ensureAppKeys(folder, "com.example.notes");
  for (const wrong of ["[../web]", "[/web]", "[.]", "web", "[1]"]) {
    write(`page: ${wrong}\n`);
    await assert.rejects(loadManifest(folder, keys), /app\.yaml:3:7: page must be a list of folders below this one/, wrong);
  }
});

test("a command that is no list of texts is refused with its place", async () => {
  write("command: ./dist/server\n");
  const keys = await ensureAppKeys(folder, "com.example.notes");
  await assert.rejects(loadManifest(folder, keys), /app\.yaml:3:10: command must be a list of texts/);
  assert.deepEqual(folderBackend(folder), { language: "node", main: "src/server.ts" });
});
