import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { EngineClient } from "@appserver/containers-docker";
import { type ProductionPlatform, productionPlatform, send, uniqueName, untilStatus } from "@appserver/testing/kit";
import { dockerEngineForTests, TestDockerEngine } from "@appserver/testing/kit/docker";
import { ensurePythonWith } from "../../../tools/services/python-packages.ts";
import { purgeApp } from "../../contract/commands.ts";
import { ensureTemplateNodeBase, ensureTemplatePythonBase } from "./template-bases.ts";

const run = promisify(execFile);
const appctl = resolve(import.meta.dirname, "../../../bin/appctl.mjs");
const docker = await dockerEngineForTests();
// The template needs the driver of databases as well.
const python = await ensurePythonWith(resolve(import.meta.dirname, "../../../sdk/python/tests/requirements.txt"));
/** Writes a package as pip installs it, into the folder in which it runs. */
const writeWheel = `
import zipfile
with zipfile.ZipFile("vendor/greetings-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("greetings.py", "word = 'servus'\\n")
    info = "greetings-1.0.dist-info/"
    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: greetings\\nVersion: 1.0\\n")
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(info + "RECORD", "")
`;

describe("appctl deploy --registry", { skip: docker instanceof TestDockerEngine ? false : docker.unavailable }, () => {
  let platform: ProductionPlatform;
  let parent: string;
  let cookie: string;
  const name = uniqueName("org.example.shipped");
  const pythonName = uniqueName("org.example.snake");
  before(async () => {
    platform = await productionPlatform();
    parent = await mkdtemp(join(tmpdir(), "appserver-deploy-"));
    cookie = await platform.login("admin");
    const engine = new EngineClient(platform.addresses.docker.socketPath);
    await ensureTemplateNodeBase(engine);
    if (!("unavailable" in python))
      await ensureTemplatePythonBase(engine, python.path, python.packages.split(delimiter).slice(1));
    await engine.close();
  });
  after(async () => {
    if (platform) for (const each of [name, pythonName]) await purgeApp(platform, each);
    await platform?.stop();
    await rm(parent, { recursive: true });
    if (docker instanceof TestDockerEngine) await docker.stop();
  });

  const environment = (): NodeJS.ProcessEnv => ({
    ...process.env,
    APPSERVER_HTTP_URL: platform.httpUrl,
    APPSERVER_GRPC_URL: platform.grpcUrl,
    APPSERVER_TOKEN: platform.addresses.adminToken,
    // The session registers.
    APPSERVER_REGISTRATION_TOKEN: "",
    DOCKER_HOST: `unix://${platform.addresses.docker.socketPath}`,
    npm_config_registry: "http://127.0.0.1:9",
  });
  const ctl = (...args: string[]) => run(process.execPath, [appctl, ...args], { cwd: parent, env: environment() });
  const registry = () => ["--registry", platform.addresses.docker.registry];
  const hello = () => send(platform.httpUrl, `/api/apps/${name}/hello/ada`, { headers: { cookie } });
  const edit = async (file: string, from: string, to: string, app = name): Promise<void> => {
    const path = join(parent, app, file);
    const text = await readFile(path, "utf8");
    assert.ok(text.includes(from), `${file} has no ${from}`);
    await writeFile(path, text.replace(from, to));
  };

  test("builds an image of the folder and its npm package, pushes it, and installs the app from it", async () => {
    await ctl("create", name, "--name", name, "--template", "api");
    await mkdir(join(parent, "greetings"));
    const described = { name: "greetings", version: "1.0.0", type: "module", exports: "./index.js" };
    await writeFile(join(parent, "greetings/package.json"), JSON.stringify(described));
    await writeFile(join(parent, "greetings/index.js"), 'export const word = "servus";');
    const npm = (...args: string[]) => run("npm", args, { cwd: join(parent, name), env: environment() });
    await npm("pack", "../greetings", "--pack-destination", "vendor");
    await npm("install", "./vendor/greetings-1.0.0.tgz");
    await edit("src/routes.js", "import", 'import { word } from "greetings";\nimport');
    await edit("src/routes.js", "hello:", "word, hello:");
    await assert.rejects(ctl("deploy", name), /--registry names where it pulls images from/);
    const { stdout } = await ctl("--json", "deploy", name, ...registry(), "--approve");
    assert.deepEqual((JSON.parse(stdout) as { version: string }).version, "0.1.0");
    await untilStatus(platform.httpUrl, `/api/apps/${name}/hello/ada`, 200, { headers: { cookie } });
    assert.match((await hello()).text, /"word":"servus"/);
    const inspected = await (docker as TestDockerEngine).inspect(`app-${name}`);
    assert.equal(inspected?.State.Status, "running");
  });

  test("builds an image of an app in Python and its package", {
    skip: "unavailable" in python ? python.unavailable : false,
  }, async () => {
    if ("unavailable" in python) return;
    await ctl("create", pythonName, "--name", pythonName, "--template", "python", "--no-install");
    await run(python.path, ["-c", writeWheel], { cwd: join(parent, pythonName) });
    await edit("requirements.txt", "./vendor/", "./vendor/greetings-1.0-py3-none-any.whl\n./vendor/", pythonName);
    await edit("backend/routes.py", "from appserver_sdk", "from greetings import word\nfrom appserver_sdk", pythonName);
    await edit("backend/routes.py", '{"tasks": ', '{"word": word, "tasks": ', pythonName);
    await ctl("deploy", pythonName, ...registry(), "--approve");
    const tasks = `/api/apps/${pythonName}/tasks`;
    await untilStatus(platform.httpUrl, tasks, 200, { headers: { cookie } });
    assert.match((await send(platform.httpUrl, tasks, { headers: { cookie } })).text, /"word": "servus"/);
  });

  test("what the platform would refuse is said before an image is built", async () => {
    await edit("app.yaml", "version: 0.1.0", "version: first");
    await assert.rejects(ctl("deploy", name, ...registry()), /would refuse \S+ first; no image was built:\n {2}version: /);
    await edit("app.yaml", "version: first", "version: 0.1.0");
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
    await edit("src/routes.js", 'release: "0.2.0"', 'release: "0.3.0"');
    await edit(
      "app.yaml",
      "version: 0.2.1",
      'version: 0.3.0\nrequired_permissions:\n  - { scope: "notes:read", resource_type: com.example.notes, reason: Reads notes. }',
    );
    await assert.rejects(ctl("deploy", name, ...registry()), /waits for an approval of notes:read: run `appctl approve/);
    assert.equal((await hello()).status, 200);
  });

  test("an image that is pushed over the tag after the approval does not run", async () => {
    await ctl("approve", name, "notes:read");
    const [approved] = /(?<=, image )sha256:[0-9a-f]{64}$/m.exec((await ctl("plan", name)).stdout) ?? [];
    assert.ok(approved);
    const repository = `${platform.addresses.docker.registry}/${name}`;
    await edit("src/routes.js", 'release: "0.3.0"', 'release: "that was not approved"');
    const docker = (...args: string[]) => run("docker", args, { cwd: join(parent, name), env: environment() });
    await writeFile(join(parent, "other.Dockerfile"), `FROM ${repository}@${approved}\nCOPY src src\n`);
    await docker("build", "--tag", `${repository}:latest`, "--file", "../other.Dockerfile", ".");
    await docker("push", `${repository}:latest`);
    // Otherwise the engine of this test would have both images, and the orchestrator would ask no registry.
    await docker("image", "rm", "--force", `${repository}@${approved}`);

    await ctl("upgrade", name);
    assert.match((await hello()).text, /"release":"0\.3\.0"/);
    await ctl("redeploy", name, "--pull");
    assert.match((await hello()).text, /"release":"0\.3\.0"/);
    await ctl("rollback", name);
    assert.match((await hello()).text, /"release":"0\.2\.0"/);
  });
});
