import assert from "node:assert/strict";
import { test } from "node:test";
import { releaseFiles } from "./release-files.ts";

const changelog = `# Changelog

## [Unreleased]

To be 0.2.0.

### Added

- A thing.
- Another.

## [0.1.0] - 2026-11-01

- The first.
`;

const files: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({ name: "appserver", version: "0.1.0", devDependencies: { typescript: "6.0.3" } }),
  "sdk/package.json": JSON.stringify({ version: "0.1.0", dependencies: { "@appserver/contracts": "0.1.0", ws: "0.1.0" } }),
  "apps/cli/templates/base/package.json": JSON.stringify({ version: "0.1.0" }),
  "package-lock.json": JSON.stringify({
    version: "0.1.0",
    packages: {
      "": { version: "0.1.0" },
      sdk: { version: "0.1.0", dependencies: { "@appserver/contracts": "0.1.0" } },
      "node_modules/ws": { version: "0.1.0" },
    },
  }),
  "apps/server/src/version.ts": 'export const platformVersion = "0.1.0";\n',
  "sdk/python/pyproject.toml": 'name = "appserver-sdk"\nversion = "0.1.0"\n',
  "deploy/helm/appserver/Chart.yaml": 'name: appserver\nversion: 0.1.0\nappVersion: 0.1.0\nkubeVersion: ">=0.1.0"\n',
  "CHANGELOG.md": changelog,
};

const release = { from: "0.1.0", to: "0.2.0", date: "2026-12-01", files: Object.keys(files) };

test("a release changes every version of the project, and no other", () => {
  const changed = releaseFiles(release, (path) => files[path] ?? "");
  const json = (path: string): unknown => JSON.parse(changed.get(path) ?? "");
  assert.partialDeepStrictEqual(json("package.json"), { version: "0.2.0", devDependencies: { typescript: "6.0.3" } });
  assert.deepEqual(json("sdk/package.json"), {
    version: "0.2.0",
    dependencies: { "@appserver/contracts": "0.2.0", ws: "0.1.0" },
  });
  assert.deepEqual(json("package-lock.json"), {
    version: "0.2.0",
    packages: {
      "": { version: "0.2.0" },
      sdk: { version: "0.2.0", dependencies: { "@appserver/contracts": "0.2.0" } },
      "node_modules/ws": { version: "0.1.0" },
    },
  });
  assert.equal(changed.get("apps/server/src/version.ts"), 'export const platformVersion = "0.2.0";\n');
  assert.match(changed.get("sdk/python/pyproject.toml") ?? "", /^version = "0\.2\.0"$/m);
  const chart = 'name: appserver\nversion: 0.2.0\nappVersion: 0.2.0\nkubeVersion: ">=0.1.0"\n';
  assert.equal(changed.get("deploy/helm/appserver/Chart.yaml"), chart);
  assert.equal(changed.has("apps/cli/templates/base/package.json"), false);
});

test("what is unreleased becomes the release, and a release needs it", () => {
  const changed = releaseFiles(release, (path) => files[path] ?? "");
  assert.equal(changed.get("CHANGELOG.md"), changelog.replace("To be 0.2.0.\n\n", "## [0.2.0] - 2026-12-01\n\n"));
  const empty = changelog.replace(/### Added[\s\S]*?(?=\n## \[0)/, "");
  assert.throws(
    () => releaseFiles(release, (path) => (path === "CHANGELOG.md" ? empty : (files[path] ?? ""))),
    /nothing under \[Unreleased\]/,
  );
});
