import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { buildPackage, driverPackage } from "@appserver/builds/package";
import { RunningPlatform } from "@appserver/testing/kit";
import { appserver } from "@appserver/testing/kit/production";

const run = promisify(execFile);
const repository = resolve(import.meta.dirname, "../../..");
const launcher = join(repository, "bin/appserver.mjs");
const tarball = join(repository, driverPackage.folder, "dist", driverPackage.file);

/** Returns the files that the page shows: "`driver.mts`, the driver. …" and the block after it. */
async function filesOfPage(): Promise<ReadonlyMap<string, string>> {
  const page = await readFile(join(repository, "docs/guides/write-a-driver.md"), "utf8");
  const files = [...page.matchAll(/`([\w.]+\.(?:json|mts|yaml))`[^`]*:\n\n```\w+\n(.*?)^```$/gms)];
  const opened = [...page.matchAll(/^`(driver\.mts)`, the driver\.[^\n]*(?:\n[^\n`]*)*\n\n```ts\n(.*?)^```$/gms)];
  return new Map([...opened, ...files].map(([, name = "", text = ""]) => [name, text]));
}

describe("the guide for a driver outside of the repository", () => {
  let folder: string;
  let files: ReadonlyMap<string, string>;
  const portal = createServer(({ headers }, response) => {
    const known = headers.authorization === "Bearer session1";
    response.writeHead(known ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify(known ? { id: "ada", name: "Ada Lovelace", expires: "2100-01-01T00:00:00Z" } : {}));
  });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "appserver-portal-driver-"));
    files = await filesOfPage();
    await buildPackage(join(repository, driverPackage.folder), driverPackage);
    await new Promise<void>((done) => void portal.listen(0, "127.0.0.1", done));
  });
  after(async () => {
    portal.close();
    portal.closeAllConnections();
    await rm(folder, { recursive: true });
  });

  test("its files compile with the package alone, and the driver passes the tests of its family", async () => {
    assert.deepEqual([...files.keys()].sort(), ["appserver.yaml", "driver.mts", "driver.test.mts", "package.json"]);
    for (const [name, text] of files) await writeFile(join(folder, name), text);
    await copyFile(tarball, join(folder, "appserver-driver-0.1.0.tgz"));
    await run(
      "npm",
      ["install", "--registry", "http://127.0.0.1:9", "--no-audit", "--no-fund", "./appserver-driver-0.1.0.tgz"],
      {
        cwd: folder,
      },
    );
    // What `npm run build` runs. The compiler and the types of Node are those of the repository: there is no registry here.
    const [, options = ""] = /"build": "tsc ([^"]*)"/.exec(files.get("package.json") ?? "") ?? [];
    const types = ["--typeRoots", join(repository, "node_modules/@types")];
    const compiler = join(repository, "node_modules/typescript-native/bin/tsc");
    await run(process.execPath, [compiler, ...options.split(" "), ...types], { cwd: folder }).catch(({ stdout }) =>
      assert.fail(String(stdout)),
    );
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
    const { stdout } = await run(process.execPath, ["--test", "driver.test.mjs"], { cwd: folder, env });
    assert.match(stdout, /pass 6\n/);
    assert.match(stdout, /fail 0\n/);
  });

  test("the platform knows its options, and people sign in with it", async () => {
    const { port } = portal.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const config = join(folder, "appserver.yaml");
    await writeFile(config, (files.get("appserver.yaml") ?? "").replace("https://portal.example.com", url));
    assert.match(await appserver(["config", "check", "dev", "-c", config], {}), /^The configuration of dev is valid\.$/m);
    assert.match(
      await appserver(["config", "options", "dev", "-c", config], {}),
      /`identity\.driver: portal`: The company's portal/,
    );
    const platform = await RunningPlatform.start({ program: launcher, flags: ["-c", config, "--no-examples"] });
    try {
      const base = platform.httpUrl;
      const answer = await fetch(`${base}/graphql`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: "Bearer session1" },
        body: JSON.stringify({ query: "{ viewer { subject displayName } }" }),
      });
      const viewer = { subject: "user:ada", displayName: "Ada Lovelace" };
      assert.deepEqual(await answer.json(), { data: { viewer } });
      const login = await fetch(`${base}/console/sign-in?return_to=/console`, { redirect: "manual" });
      assert.equal(login.headers.get("location"), `${url}/login?return_to=${encodeURIComponent(`${base}/console`)}`);
    } finally {
      await platform.stop();
    }
  });
});
