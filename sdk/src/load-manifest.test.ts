import assert from "node:assert/strict";
import { createHash, verify, X509Certificate } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { canonicalManifest } from "@appserver/contracts/manifest";
import { DependencyKind } from "@appserver/contracts/proto/appserver/v2/common";
import { SettingDataType } from "@appserver/contracts/proto/appserver/v2/settings";
import { UIMode } from "@appserver/contracts/proto/appserver/v2/ui";
import { type AppKeys, ensureAppKeys } from "./app-keys.ts";
import { loadManifest, ManifestError, placeRefused } from "./load-manifest.ts";

const root = mkdtempSync(join(tmpdir(), "appserver-manifest-"));
after(() => rmSync(root, { recursive: true, force: true }));

let keys: AppKeys;
before(async () => {
  keys = await ensureAppKeys(join(root, "keys"), "com.example.app");
});

let folders = 0;
function appFolder(yaml: string, files: Readonly<Record<string, string>> = {}): string {
  const folder = join(root, `app-${folders++}`);
  mkdirSync(join(folder, "dist", "chunks"), { recursive: true });
  writeFileSync(join(folder, "app.yaml"), yaml);
  for (const [name, contents] of Object.entries(files)) writeFileSync(join(folder, name), contents);
  return folder;
}

async function problemsOf(folder: string): Promise<readonly string[]> {
  try {
    await loadManifest(folder, keys);
  } catch (error) {
    assert.ok(error instanceof ManifestError, String(error));
    return error.problems.map((problem) => problem.replace(`${folder}/`, ""));
  }
  return [];
}

describe("loadManifest", () => {
  test("reads the manifest's fields, enum values without their prefix", async () => {
    const folder = appFolder(
      `name: com.example.app
version: 1.2.3
web_app:
  ui:
    mode: ESM_COMPONENT
    entry_asset_name: main.js
    route_base: /app
    navigation:
      - { title: App, href: /app, metadata: { kind: first, mode: dark } }
  api: { base_path: /api/apps/com.example.app, upstream_base_url: "http://127.0.0.1:4000", max_body_bytes: 4096 }
dependencies: [{ app_name: com.example.other, kind: DEPENDENCY_KIND_SOFT }]
settings: { definitions: [{ key: theme, data_type: STRING, description: }] }
`,
    );
    const { manifest } = await loadManifest(folder, keys);
    assert.equal(manifest.name, "com.example.app");
    assert.equal(manifest.webApp?.ui?.mode, UIMode.UI_MODE_ESM_COMPONENT);
    assert.deepEqual(manifest.webApp.ui.navigation[0]?.metadata, { kind: "first", mode: "dark" });
    assert.equal(manifest.webApp.api?.maxBodyBytes, 4096n);
    assert.equal(manifest.webApp.api.stripBasePath, undefined);
    assert.equal(manifest.dependencies[0]?.kind, DependencyKind.SOFT);
    assert.equal(manifest.settings?.definitions[0]?.dataType, SettingDataType.STRING);
  });

  test("reads every file of a folder in a fixed order, hashes it and signs it", async () => {
    const files = { "dist/main.js": "export {}", "dist/chunks/b.css": "b{}", "dist/a.SVG": "<svg/>", "dist/.stamp": "hidden" };
    const folder = appFolder("name: com.example.app\nweb_app: { assets: { folder: dist } }\n", files);
    const { manifest, signature } = await loadManifest(folder, keys);
    const { publicKey } = new X509Certificate(manifest.certificate);
    assert.deepEqual(
      manifest.webApp?.assets.map(({ name, mimeType }) => [name, mimeType]),
      [
        ["a.SVG", "image/svg+xml"],
        ["chunks/b.css", "text/css"],
        ["main.js", "text/javascript"],
      ],
    );
    for (const asset of manifest.webApp.assets) {
      assert.equal(Buffer.from(asset.contents).toString(), files[`dist/${asset.name}` as keyof typeof files]);
      assert.equal(asset.sha256, createHash("sha256").update(asset.contents).digest("hex"));
      assert.equal(verify("sha256", asset.contents, publicKey, asset.signature), true);
    }
    assert.equal(verify("sha256", canonicalManifest(manifest), publicKey, signature), true);
    manifest.version = "9.9.9";
    assert.equal(verify("sha256", canonicalManifest(manifest), publicKey, signature), false);
  });

  test("reads files by name", async () => {
    const folder = appFolder("name: a\nweb_app: { assets: [dist/main.js] }\n", { "dist/main.js": "1", "dist/more.js": "2" });
    const { manifest } = await loadManifest(folder, keys);
    assert.deepEqual(
      manifest.webApp?.assets.map(({ name }) => name),
      ["dist/main.js"],
    );
  });

  test("a text that YAML reads as another type is refused with the way to write it", async () => {
    const folder = appFolder("name: com.example.app\nversion: 1.9\n");
    await assert.rejects(loadManifest(folder, keys), /version expected string, got 1\.9; write a text in quotes/);
  });

  test("reports every invalid field with its line", async () => {
    const folder = appFolder(`name: 7
versoin: 1.0.0
web_app:
  assets: dist
  ui:
    mode: FEDERATED
  api:
    timeout_ms: soon
    forward_headers: [accept, 5]
    routes:
      - pattern: /items
        methods: GET
        is_public: "yes"
dependencies: { app_name: x }
`);
    const problems = await problemsOf(folder);
    assert.deepEqual(
      problems.map((problem) => problem.split(" ").slice(0, 2).join(" ")),
      [
        "app.yaml:4:11: web_app.assets",
        "app.yaml:1:7: name",
        "app.yaml:2:10: versoin",
        "app.yaml:6:11: web_app.ui.mode",
        "app.yaml:8:17: web_app.api.timeout_ms",
        "app.yaml:9:22: web_app.api.forward_headers",
        "app.yaml:12:18: web_app.api.routes[0].methods",
        "app.yaml:13:20: web_app.api.routes[0].is_public",
        "app.yaml:14:15: dependencies",
      ],
    );
    assert.match(problems[2] ?? "", /versoin is unknown; the fields here are name, .*version/);
    assert.match(problems[3] ?? "", /mode must be one of FEDERATION, WEB_COMPONENT, ESM_COMPONENT$/);
    assert.match(problems[8] ?? "", /must be a list$/);
  });

  test("what a platform refuses has the place of the field, or of what should have it", async () => {
    const folder = appFolder("name: a\nactivities:\n  - name: b\n    schedule:\n      cron: '* *'\n");
    const refused = ["activities[0].schedule.cron", "activities[0].timeout", "activities", "certificate"];
    const problems = await placeRefused(
      folder,
      refused.map((field) => ({ field, message: "is wrong" })),
    );
    assert.deepEqual(
      problems.map((problem) => problem.replace(`${folder}/`, "")),
      [
        "app.yaml:5:13: activities[0].schedule.cron is wrong",
        "app.yaml:3:5: activities[0].timeout is wrong",
        "app.yaml:3:3: activities is wrong",
        "app.yaml: certificate is wrong",
      ],
    );
  });

  test("reports every YAML syntax error with its place", async () => {
    const problems = await problemsOf(appFolder('name: a\nname: b\nversion: "1\n'));
    assert.ok(problems.length >= 2, problems.join());
    assert.match(problems[0] ?? "", /^app\.yaml:2:1: /);
  });

  test("reports a file that is not a mapping, and a missing file", async () => {
    assert.match((await problemsOf(appFolder("- a\n")))[0] ?? "", /^app\.yaml:1:1: the manifest must be a mapping of name, /);
    assert.match((await problemsOf(appFolder("")))[0] ?? "", /the manifest must be a mapping/);
    assert.deepEqual(await problemsOf(join(root, "nowhere")), ["app.yaml is missing"]);
  });

  test("leaves out what no page can load, and what is excluded", async () => {
    const files = {
      "dist/main.js": "1",
      "dist/main.js.map": "{}",
      "dist/a.exe": "",
      "dist/favicon.ico": "i",
      "dist/chunks/[id].js": "2",
    };
    const folder = appFolder("name: a\nweb_app: { assets: { folder: dist, exclude: ['*.map'] } }\n", files);
    const { manifest, warnings } = await loadManifest(folder, keys);
    assert.deepEqual(
      manifest.webApp?.assets.map(({ name, mimeType }) => `${name} ${mimeType}`),
      ["chunks/[id].js text/javascript", "favicon.ico image/x-icon", "main.js text/javascript"],
    );
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? "", /dist: a\.exe is left out: no asset has such a type/);
  });

  test("reports every asset that is missing or has an unsupported type", async () => {
    const assets = "name: a\nweb_app: { assets: ";
    assert.deepEqual(await problemsOf(appFolder(`${assets}[dist/a.js, dist/b.js] }\n`, { "dist/a.js": "" })), [
      "could not read dist/b.js",
    ]);
    assert.deepEqual(await problemsOf(appFolder(`${assets}[dist/a.exe, dist/b] }\n`, { "dist/a.exe": "", "dist/b": "" })), [
      "dist/a.exe: files ending in .exe cannot be assets",
      "dist/b: files without an ending cannot be assets",
    ]);
    for (const wrong of ["{ folder: dist, exclude: x }", "{ folder: dist, excludes: [x] }", "[1]", "dist"])
      assert.match(
        (await problemsOf(appFolder(`${assets}${wrong} }\n`)))[0] ?? "",
        /must be a list of files or \{ folder/,
        wrong,
      );
    assert.deepEqual(await problemsOf(appFolder(`${assets}{ folder: build } }\n`)), [
      "build is missing; build the frontend first",
    ]);
  });
});
