import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { buildPackage, packages } from "./build-package.ts";

const run = promisify(execFile);
const repository = resolve(import.meta.dirname, "../../..");
const tarballOf = (folder: string, file: string): string => join(repository, folder, "dist", file);

const server = `
import { HttpError, serveApp } from "@appserver/sdk";

export const start = () =>
  serveApp({
    host: "127.0.0.1",
    port: 0,
    routes: {
      "GET /hello/{name}": ({ params }) => {
        if (params.name === "unknown") throw new HttpError(404, "there is no such person");
        return { json: { hello: params.name } };
      },
    },
  });
`;
const serverTest = `
import assert from "node:assert/strict";
import { test } from "node:test";
import { createHookSubscriber, createPlatformClient, ensureAppKeys } from "@appserver/sdk";
import { start } from "./server.js";

test("the app responds, has keys, and says that no platform is there", async () => {
  const app = await start();
  const response = await fetch(\`http://127.0.0.1:\${app.port}/hello/ada\`);
  assert.deepEqual(await response.json(), { hello: "ada" });
  await app.stop();
  const keys = await ensureAppKeys(import.meta.dirname ?? ".", "org.example.outside");
  assert.match(keys.certificate, /BEGIN CERTIFICATE/);
  assert.equal(typeof createHookSubscriber, "function");
  const client = createPlatformClient({ grpcUrl: "http://127.0.0.1:9" });
  await assert.rejects(client.marketplace.listApps({}), { name: "ConnectError" });
});
`;
const typed = `
import { createPlatformClient, type RunningApp, serveApp } from "@appserver/sdk";
import type { PageContext } from "@appserver/sdk/page";

const app: RunningApp = await serveApp({ host: "127.0.0.1", port: 0, routes: { "GET /": () => ({ json: {} }) } });
const { apps } = await createPlatformClient({ grpcUrl: "http://127.0.0.1:9" }).marketplace.listApps({});
// @ts-expect-error: a name is a text
const wrong: number = apps[0]?.name;
export const page = (context: PageContext) => [context, app, wrong];
`;

describe("the packages for app developers", () => {
  let outside: string;
  before(async () => {
    for (const each of packages) await buildPackage(join(repository, each.folder), each);
    outside = await mkdtemp(join(tmpdir(), "appserver-outside-"));
    await writeFile(join(outside, "package.json"), JSON.stringify({ name: "outside", private: true, type: "module" }));
    const tarballs = packages.map(({ folder, file }) => tarballOf(folder, file));
    await run("npm", ["install", "--registry", "http://127.0.0.1:9", "--no-audit", "--no-fund", ...tarballs], { cwd: outside });
    await writeFile(join(outside, "server.js"), server);
    await writeFile(join(outside, "server.test.js"), serverTest);
    await writeFile(join(outside, "typed.ts"), typed);
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
  for (const [name, node] of Object.entries({ "the Node of the machine": "node", "the shipped Node": process.execPath })) {
    test(`an app outside of the repository passes its test on ${name}`, async () => {
      const { NODE_TEST_CONTEXT: _own, ...env } = process.env;
      const { stdout } = await run(node, ["--test", "server.test.js"], { cwd: outside, env });
      assert.match(stdout, /pass 1\n/);
      const { stdout: version } = await run(node, ["node_modules/@appserver/cli/dist/appctl.mjs", "--version"], {
        cwd: outside,
      });
      assert.match(version, /^\d+\.\d+\.\d+\n$/);
    });
  }

  test("its types are those of the SDK, without another package but those of Node", async () => {
    const tsc = join(repository, "node_modules/typescript/bin/tsc");
    const types = ["--typeRoots", join(repository, "node_modules/@types"), "--types", "node"];
    const options = ["--noEmit", "--strict", "--target", "es2023", "--module", "nodenext", "--skipLibCheck", "false", ...types];
    await run(process.execPath, [tsc, ...options, "typed.ts"], { cwd: outside }).catch(({ stdout }: { stdout: string }) =>
      assert.fail(stdout),
    );
  });
});
