import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { outsideApp } from "../test/outside-app.ts";
import { buildPackage, packages as served } from "./build-package.ts";

const run = promisify(execFile);
const packages = served.filter(({ format }) => format === "npm");
const repository = resolve(import.meta.dirname, "../../..");
const machinePath = process.env["PATH"] ?? "";
const shippedPath = `${dirname(process.execPath)}:${machinePath}`;
const tarballOf = (folder: string, file: string): string => join(repository, folder, "dist", file);

describe("the packages for app developers", () => {
  let outside: string;
  before(async () => {
    for (const each of packages) await buildPackage(join(repository, each.folder), each);
    outside = await mkdtemp(join(tmpdir(), "appserver-outside-"));
    for (const [name, content] of Object.entries(outsideApp)) await writeFile(join(outside, name), content);
    const tarballs = packages.map(({ folder, file }) => tarballOf(folder, file));
    await run("npm", ["install", "--registry", "http://127.0.0.1:9", "--no-audit", "--no-fund", ...tarballs], { cwd: outside });
  });
  after(() => rm(outside, { recursive: true, force: true }));

  for (const { folder, file } of packages) {
    test(`${file} has no flaw that publint finds`, async () => {
      const bytes = await readFile(tarballOf(folder, file));
      const { messages } = await publint({ pack: { tarball: new Uint8Array(bytes).buffer }, strict: true });
      assert.deepEqual(messages, []);
    });
  }

  test("every export of the SDK has types that resolve", async () => {
    const tarball = await readFile(tarballOf("sdk", "appserver-sdk.tgz"));
    const checked = await checkPackage(createPackageFromTarballData(tarball));
    assert.ok(checked.types !== false, "the SDK has no types");
    // It is an ES module alone, and needs a resolution that knows of exports.
    const others = checked.problems.filter(
      (problem) => problem.kind !== "CJSResolvesToESM" && !("resolutionKind" in problem && problem.resolutionKind === "node10"),
    );
    assert.deepEqual(others, []);
  });

  // The Node of the machine, which may be the oldest one, and the one that runs the platform.
  for (const [name, path] of Object.entries({ "the Node of the machine": machinePath, "the shipped Node": shippedPath })) {
    test(`an app outside of the repository passes its test on ${name}`, async () => {
      const env = { ...process.env, PATH: path, NODE_TEST_CONTEXT: undefined };
      const { stdout } = await run("node", ["--test", "server.test.js"], { cwd: outside, env });
      assert.match(stdout, /pass 4\n/);
      const { stdout: version } = await run("npx", ["--offline", "appctl", "--version"], { cwd: outside, env });
      assert.match(version, /^\d+\.\d+\.\d+\n$/);
    });
  }

  test("a stack trace names the sources of the SDK inside the package", async () => {
    const { stdout } = await run("node", ["--enable-source-maps", "stack.js"], { cwd: outside });
    assert.match(stdout, /node_modules\/@appserver\/sdk\/src\/storage-path\.ts:\d+/);
  });

  test("its types are those of the SDK, without another package but those of Node", async () => {
    const tsc = join(repository, "node_modules/typescript-native/bin/tsc");
    const types = ["--typeRoots", join(repository, "node_modules/@types"), "--types", "node"];
    const options = ["--noEmit", "--strict", "--target", "es2023", "--module", "nodenext", "--skipLibCheck", "false", ...types];
    await run(process.execPath, [tsc, ...options, "typed.ts"], { cwd: outside }).catch(({ stdout }: { stdout: string }) =>
      assert.fail(stdout),
    );
  });
});
