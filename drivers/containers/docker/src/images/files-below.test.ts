import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { filesBelow } from "./files-below.ts";

const folder = mkdtempSync(join(tmpdir(), "appserver-files-"));
after(() => rmSync(folder, { recursive: true, force: true }));
for (const each of ["code/inner", "code/left"]) mkdirSync(join(folder, each), { recursive: true });
for (const each of ["code/b.py", "code/inner/a.py", "code/left/c.py"]) writeFileSync(join(folder, each), "");
symlinkSync("b.py", join(folder, "code/a.py"));
symlinkSync("missing", join(folder, "code/broken"));

const pathsOf = (path: string) =>
  [...filesBelow(folder, path, { into: "app", isLeftOut: (name) => name === "left" })].map((entry) => entry.path);

test("files are selected in a fixed order, with links, and without broken links and what is left out", () => {
  assert.deepEqual(pathsOf("code"), ["app/code/a.py", "app/code/b.py", "app/code/inner/a.py"]);
  assert.deepEqual(pathsOf(""), ["app/code/a.py", "app/code/b.py", "app/code/inner/a.py"]);
  assert.deepEqual(pathsOf("code/b.py"), ["app/code/b.py"]);
});

test("a path that does not exist is refused", () => {
  assert.throws(() => pathsOf("missing"), { code: "ENOENT" });
});
