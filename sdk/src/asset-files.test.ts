import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { findFiles, patternOf } from "./asset-files.ts";

const root = mkdtempSync(join(tmpdir(), "appserver-assets-"));
after(() => rmSync(root, { recursive: true, force: true }));

/** What the build tools write in their defaults. */
const built = [
  ...["index.html", "favicon.ico", "robots.txt", "assets/index-BX4k1.js", "assets/index-BX4k1.css", "vite.svg"],
  ...["main.js", "main.js.LICENSE.txt", "main.js.map", "remoteEntry.js", "node_vendors.js", "mf-manifest.json"],
  ...[
    "_next/static/chunks/pages/[slug]-1a2b.js",
    "_next/static/chunks/app/(group)/page-9f.js",
    "_next/static/media/inter.woff2",
  ],
  ...[
    "assets/_auth.$id-C4x.js",
    "assets/route - copy.js",
    "manifest.webmanifest",
    "x.wasm",
    "x.ttf",
    "x.otf",
    "x.gif",
    "x.avif",
  ],
  ...["sitemap.xml", "worker.cjs", "README.md", "UPPER.PNG"],
];

test("everything that build tools write is an asset, in a fixed order", async () => {
  for (const name of built) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), "x");
  }
  assert.deepEqual(await findFiles(root, []), { names: [...built].sort(), warnings: [] });
});

test("files that no page can load are left out, and named", async () => {
  for (const name of [".vite/manifest.json", ".DS_Store", "data.bin", "LICENSE", "a;b.js"]) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), "x");
  }
  symlinkSync("index.html", join(root, "link.html"));
  const { names, warnings } = await findFiles(root, []);
  assert.deepEqual(names, [...built].sort());
  assert.deepEqual([...warnings].sort(), [
    ".DS_Store, .vite/manifest.json are left out: hidden files are no assets",
    "LICENSE, data.bin are left out: no asset has such a type (docs/interface/manifest.md#assets)",
    "a;b.js is left out: no asset has such a name",
    "link.html is left out: only regular files are assets",
  ]);
  const excluded = await findFiles(root, [
    "*.map",
    "*.LICENSE.txt",
    "_next/**",
    ".*",
    "LICENSE",
    "data.bin",
    "a;b.js",
    "link.html",
  ]);
  assert.deepEqual(excluded, { names: built.filter((name) => !/\.map$|LICENSE|_next/.test(name)).sort(), warnings: [] });
});

test("patterns follow those of other tools", () => {
  const rows: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ["*.map", ["a.map", "x/y/a.map"], ["a.map.js", "amap"]],
    ["assets/*.js", ["assets/a.js"], ["a.js", "assets/x/a.js", "x/assets/a.js"]],
    ["**/*.txt", ["a.txt", "x/y/a.txt"], ["a.txt.js"]],
    ["docs", ["docs/a.js", "x/docs/b/c.js"], ["docs.js"]],
    ["docs/", ["docs/a.js"], ["mydocs/a.js"]],
    ["./a/**/b.js", ["a/b.js", "a/x/y/b.js"], ["a/xb.js"]],
    ["[slug]-?.js", ["[slug]-1.js"], ["s-1.js", "[slug]-12.js"]],
  ];
  for (const [pattern, yes, no] of rows) {
    for (const name of yes) assert.match(name, patternOf(pattern), pattern);
    for (const name of no) assert.doesNotMatch(name, patternOf(pattern), pattern);
  }
});
