import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { bundleApp } from "./bundle-app.ts";

const folder = mkdtempSync(join(tmpdir(), "appserver-bundle-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("a bundled app runs without node_modules: it contains TypeScript packages and CommonJS, and finds its files", async () => {
  const [app, packageFolder] = [join(folder, "app"), join(folder, "app/node_modules/typed")];
  for (const each of [join(app, "src"), packageFolder]) mkdirSync(each, { recursive: true });
  writeFileSync(join(packageFolder, "package.json"), '{ "name": "typed", "type": "module", "exports": "./index.ts" }');
  writeFileSync(join(packageFolder, "index.ts"), "export const typed: string = 'typed';");
  writeFileSync(join(app, "src/old.cjs"), "module.exports = { separator: require('node:path').sep };");
  writeFileSync(join(app, "note.txt"), "note");
  writeFileSync(
    join(app, "src/main.ts"),
    `import { readFileSync } from "node:fs";
import { typed } from "typed";
import old from "./old.cjs";
const note: string = readFileSync(new URL("../note.txt", import.meta.url), "utf8");
console.log(typed, old.separator, note);`,
  );
  const bundle = join(app, "src/main.mjs");
  writeFileSync(bundle, await bundleApp(app, "src/main.ts"));
  rmSync(join(app, "node_modules"), { recursive: true });
  rmSync(join(app, "src/old.cjs"));
  assert.equal(execFileSync(process.execPath, [bundle], { encoding: "utf8" }), "typed / note\n");
});

test("a package with a module and a CommonJS build is the one that the importing file asks for", async () => {
  const [app, packageFolder] = [join(folder, "dual"), join(folder, "dual/node_modules/two-builds")];
  mkdirSync(packageFolder, { recursive: true });
  const builds = { import: "./index.mjs", require: "./index.cjs", default: "./index.cjs" };
  writeFileSync(join(packageFolder, "package.json"), JSON.stringify({ name: "two-builds", exports: builds }));
  writeFileSync(join(packageFolder, "index.mjs"), "export default 'module';");
  writeFileSync(join(packageFolder, "index.cjs"), "module.exports = 'CommonJS';");
  writeFileSync(join(app, "old.cjs"), "module.exports = require('two-builds');");
  writeFileSync(join(app, "main.ts"), "import old from './old.cjs';\nimport own from 'two-builds';\nconsole.log(old, own);");
  const bundle = join(app, "main.mjs");
  writeFileSync(bundle, await bundleApp(app, "main.ts"));
  rmSync(join(app, "node_modules"), { recursive: true });
  assert.equal(execFileSync(process.execPath, [bundle], { encoding: "utf8" }), "CommonJS module\n");
});

test("an app that imports a missing package is refused", async () => {
  writeFileSync(join(folder, "lost.ts"), 'import "no-such-package";');
  await assert.rejects(bundleApp(folder, "lost.ts"), /no-such-package/);
});
