import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { pulledFolders } from "./pulled-folders.ts";

const root = mkdtempSync(join(tmpdir(), "appserver-pulled-"));
after(() => rmSync(root, { recursive: true, force: true }));
const { pulled } = pulledFolders({ stopOnClose: false });

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(root, "app-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

test("a pulled folder runs the main file of its package.json", () => {
  const folder = folderOf({ "package.json": '{ "main": "app.js" }', "app.js": "" });
  assert.deepEqual(pulled?.(folder), { command: ["node", "app.js"], environment: { NODE_ENV: "production" } });
});

test("a pulled folder with a command in its app.yaml runs that", () => {
  const folder = folderOf({ "app.yaml": "name: com.example.notes\ncommand: [./dist/server, --fast]\n", "package.json": "{}" });
  assert.deepEqual(pulled?.(folder), { command: ["./dist/server", "--fast"], environment: {} });
});

test("a folder that cannot run is refused with the reason", () => {
  for (const [files, problem] of [
    [{ "package.json": "{}" }, /has no src\/server\.ts/],
    [{ "board/__main__.py": "" }, /no command in app\.yaml and no package\.json; apps in Python run in containers only/],
    [
      { "package.json": `{ "main": "a.js" }${" ".repeat(2_000_000)}`, "a.js": "" },
      /package\.json .* is no file of at most 1048576 bytes/,
    ],
    [{ "package.json/x": "" }, /package\.json .* is no file/],
  ] as const)
    assert.throws(() => pulled?.(folderOf(files)), problem);
});
