import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { packFolder } from "./pack-folder.ts";

const root = mkdtempSync(join(tmpdir(), "appctl-pack-"));
after(() => rmSync(root, { recursive: true, force: true }));

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(root, "app-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const layer = (): string => join(mkdtempSync(join(root, "layer-")), "layer.tar.gz");
const packed = (file: string): readonly string[] =>
  execFileSync("tar", ["-t", "-z", "-f", file], { encoding: "utf8" }).trim().split("\n");

test("a layer is the same after a change of the page", async () => {
  const folder = folderOf({
    "app.yaml": "page: [web, dist/page]\n",
    "dist/server.js": "1",
    "web/page.js": "1",
    "dist/page/page.js": "1",
  });
  const first = await packFolder(folder, layer());
  assert.deepEqual(packed(first.file), ["app/", "app/app.yaml", "app/dist/", "app/dist/server.js"]);
  for (const page of ["web/page.js", "dist/page/page.js"]) writeFileSync(join(folder, page), "2");
  assert.equal((await packFolder(folder, layer())).digest, first.digest);
  writeFileSync(join(folder, "dist/server.js"), "2");
  assert.notEqual((await packFolder(folder, layer())).digest, first.digest);
});

test("a layer has what runs: packages, but not those for development; neither keys nor files of tools", async () => {
  const folder = folderOf({
    "package.json": '{ "dependencies": { "used": "1" }, "devDependencies": { "tool": "1" } }',
    "src/server.js": "",
    "key.pem": "key",
    "certificates/own.pem": "key",
    ".env": "SECRET=1",
    "src/.cache/x": "",
    ".git/HEAD": "",
    "node_modules/used/.eslintrc": "",
    "node_modules/used/node_modules/inner/index.js": "",
    "node_modules/tool/cli.js": "",
    "node_modules/.cache/x": "",
    "node_modules/.package-lock.json": JSON.stringify({
      packages: { "node_modules/used": {}, "node_modules/tool": { dev: true } },
    }),
  });
  mkdirSync(join(folder, "node_modules/.bin"));
  symlinkSync("../tool/cli.js", join(folder, "node_modules/.bin/tool"));
  symlinkSync("../used/.eslintrc", join(folder, "node_modules/.bin/used"));
  const file = layer();
  const { digest, size, diffId } = await packFolder(folder, file);
  assert.deepEqual(
    packed(file),
    [
      "app/",
      "app/node_modules/",
      "app/node_modules/.bin/",
      "app/node_modules/.bin/used",
      "app/node_modules/.package-lock.json",
      "app/node_modules/used/",
      "app/node_modules/used/.eslintrc",
      "app/node_modules/used/node_modules/",
      "app/node_modules/used/node_modules/inner/",
      "app/node_modules/used/node_modules/inner/index.js",
      "app/package.json",
      "app/src/",
      "app/src/server.js",
      "app/certificates/",
    ].sort(),
  );
  const bytes = readFileSync(file);
  assert.deepEqual([digest, size], [`sha256:${createHash("sha256").update(bytes).digest("hex")}`, bytes.length]);
  const archive = execFileSync("gzip", ["-d", "-c", file], { maxBuffer: 10_000_000 });
  assert.equal(diffId, `sha256:${createHash("sha256").update(archive).digest("hex")}`);
  assert.equal((await packFolder(folder, layer())).digest, digest, "the same contents have the same digest");
});

test("a package that is not installed, and a link out of the folder, are named", async () => {
  const missing = folderOf({
    "package.json": '{ "dependencies": { "@example/absent": "1", "there": "1" } }',
    "node_modules/there/x": "",
  });
  await assert.rejects(packFolder(missing, layer()), /^Error: @example\/absent of package\.json: .* Run `npm install` there$/);
  const linked = folderOf({ "package.json": '{ "dependencies": { "shared": "1" } }', "node_modules/.package-lock.json": "{}" });
  symlinkSync(root, join(linked, "node_modules/shared"));
  await assert.rejects(packFolder(linked, layer()), /node_modules\/shared is a link to \/.*, outside of the app's folder/);
});
