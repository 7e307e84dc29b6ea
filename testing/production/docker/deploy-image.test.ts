import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { EngineClient } from "@appserver/containers-docker";
import { ensureNodeBase } from "@appserver/containers-docker/images";
import { type ProductionPlatform, productionPlatform, send, uniqueName, untilStatus } from "@appserver/testing/kit";
import { dockerEngineForTests, TestDockerEngine } from "@appserver/testing/kit/docker";
import { purgeApp } from "../../contract/commands.ts";

const run = promisify(execFile);
const appctl = resolve(import.meta.dirname, "../../../bin/appctl.mjs");
const docker = await dockerEngineForTests();
/** That of the template's Dockerfile. It cannot be pulled everywhere, so it is made from the Node of this machine. */
const baseImage = "node:24-slim";

describe("appctl deploy --registry", { skip: docker instanceof TestDockerEngine ? false : docker.unavailable }, () => {
  let platform: ProductionPlatform;
  let parent: string;
  let cookie: string;
  const name = uniqueName("org.example.shipped");
  before(async () => {
    platform = await productionPlatform();
    parent = await mkdtemp(join(tmpdir(), "appserver-deploy-"));
    cookie = await platform.login("admin");
    const engine = new EngineClient(platform.addresses.docker.socketPath);
    const base = await ensureNodeBase(engine);
    await engine.close();
    await run("docker", ["tag", base, baseImage], { env: environment() });
  });
  after(async () => {
    if (platform) await purgeApp(platform, name);
    await platform?.stop();
    await rm(parent, { recursive: true });
    if (docker instanceof TestDockerEngine) await docker.stop();
  });

  const environment = (): NodeJS.ProcessEnv => ({
    ...process.env,
    APPSERVER_HTTP_URL: platform.httpUrl,
    APPSERVER_GRPC_URL: platform.grpcUrl,
    APPSERVER_TOKEN: platform.addresses.adminToken,
    APPSERVER_REGISTRATION_TOKEN: platform.addresses.registrationToken,
    DOCKER_HOST: `unix://${platform.addresses.docker.socketPath}`,
    npm_config_registry: "http://127.0.0.1:9",
  });
  const ctl = (...args: string[]) => run(process.execPath, [appctl, ...args], { cwd: parent, env: environment() });
  const registry = () => ["--registry", platform.addresses.docker.registry];
  const hello = () => send(platform.httpUrl, `/api/apps/${name}/hello/ada`, { headers: { cookie } });
  const edit = async (file: string, from: string, to: string): Promise<void> => {
    const path = join(parent, name, file);
    const text = await readFile(path, "utf8");
    assert.ok(text.includes(from), `${file} has no ${from}`);
    await writeFile(path, text.replace(from, to));
  };

  test("builds an image of the folder, pushes it, and installs the app from it", async () => {
    await ctl("create", name, "--name", name, "--template", "api");
    await assert.rejects(ctl("deploy", name), /--registry names where it pulls images from/);
    const { stdout } = await ctl("--json", "deploy", name, ...registry(), "--approve");
    assert.deepEqual((JSON.parse(stdout) as { version: string }).version, "0.1.0");
    await untilStatus(platform.httpUrl, `/api/apps/${name}/hello/ada`, 200, { headers: { cookie } });
    const inspected = await (docker as TestDockerEngine).inspect(`app-${name}`);
    assert.equal(inspected?.State.Status, "running");
  });

  test("a version that does not get healthy is refused with the reason, and the one before serves", async () => {
    await edit("app.yaml", "version: 0.1.0", "version: 0.2.0");
    await edit("src/server.js", "const {", 'throw new Error("broken on purpose");\nconst {');
    await assert.rejects(ctl("deploy", name, ...registry(), "--approve"), /broken on purpose|exited/);
    assert.equal((await hello()).status, 200);
    await edit("src/server.js", 'throw new Error("broken on purpose");\n', "");
    await edit("src/routes.js", "hello:", 'release: "0.2.0", hello:');
    await edit("app.yaml", "version: 0.2.0", "version: 0.2.1");
    await ctl("deploy", name, ...registry(), "--approve");
    assert.match((await hello()).text, /"release":"0\.2\.0"/);
  });

  test("permissions wait for an approval, unless it is given", async () => {
    await edit(
      "app.yaml",
      "version: 0.2.1",
      'version: 0.3.0\nrequired_permissions:\n  - { scope: "notes:read", resource_type: com.example.notes, reason: Reads notes. }',
    );
    await assert.rejects(ctl("deploy", name, ...registry()), /waits for an approval of notes:read: run `appctl approve/);
    assert.equal((await hello()).status, 200);
  });
});
