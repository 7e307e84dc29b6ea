import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { type PlatformUnderTest, send, startPlatform, uniqueName, until } from "@appserver/testing/kit";
import { purgeApp } from "./commands.ts";

const run = promisify(execFile);
const repository = resolve(import.meta.dirname, "../..");
const appctl = join(repository, "bin/appctl.mjs");

describe("the folder of an app", () => {
  let platform: PlatformUnderTest;
  let parent: string;
  let cookie: string;
  const names: string[] = [];
  const running: ChildProcess[] = [];
  before(async () => {
    platform = await startPlatform();
    parent = await mkdtemp(join(tmpdir(), "appserver-folders-"));
    cookie = await platform.login("admin");
  });
  after(async () => {
    for (const child of running) child.kill();
    for (const name of names) await purgeApp(platform, name);
    await platform?.stop();
    await rm(parent, { recursive: true });
  });

  const environment = () => ({
    ...process.env,
    APPSERVER_HTTP_URL: platform.httpUrl,
    npm_config_registry: "http://127.0.0.1:9",
  });
  const ctl = (...args: string[]) => run(process.execPath, [appctl, ...args], { cwd: parent, env: environment() });
  const created = async (template: string, name = uniqueName(`org.example.${template}`)): Promise<string> => {
    names.push(name);
    await ctl("create", name, "--name", name, "--template", template);
    return name;
  };
  const greeting = async (name: string) => {
    const { status, text } = await send(platform.httpUrl, `/api/apps/${name}/hello/ada`, { headers: { cookie } });
    return `${status} ${text}`;
  };
  const edit = async (file: string, from: string, to: string): Promise<void> => {
    const text = await readFile(join(parent, file), "utf8");
    assert.ok(text.includes(from), `${file} has no ${from}`);
    await writeFile(join(parent, file), text.replace(from, to));
  };

  for (const template of ["api", "esm", "web-component"]) {
    test(`that create makes of ${template} passes its own test, and deploy takes it into use`, async () => {
      const name = await created(template);
      // The backend and its test are the same in all.
      if (template === "api") {
        const env = { ...environment(), NODE_TEST_CONTEXT: undefined };
        await run("npm", ["test"], { cwd: join(parent, name), env });
      }
      const { stdout } = await ctl("--json", "deploy", name);
      const { url } = JSON.parse(stdout) as { url: string };
      assert.match(await greeting(name), /^200 .*"hello":"ada","from":"admin"/);
      const { status } = await send(platform.httpUrl, new URL(url).pathname, { headers: { cookie } });
      assert.equal(status, template === "api" ? 404 : 200);
    });
  }

  test("that create makes of react is built by deploy", async () => {
    const name = uniqueName("org.example.react");
    names.push(name);
    await ctl("create", name, "--name", name, "--template", "react", "--no-install");
    // With the libraries of the repository: the test needs no registry.
    await symlink(join(repository, "node_modules"), join(parent, name, "node_modules"));
    // The SDK of the repository is TypeScript, which only the shipped Node runs. That of the package is not.
    const env = { ...environment(), PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter) };
    await run(process.execPath, [appctl, "deploy", name], { cwd: parent, env });
    const { marketplace } = platform.client();
    assert.match((await marketplace.getApp({ name })).app?.entryUrl ?? "", /remoteEntry\.js$/);
    assert.match(await greeting(name), /^200 /);
  });

  test("is not made where files are, with a wrong name, or of an unknown template", async () => {
    await writeFile(join(parent, "present.txt"), "");
    const refused = async (...args: string[]): Promise<string> =>
      ctl("create", ...args).then(
        () => "made",
        ({ code, stderr }) => `${code} ${stderr}`,
      );
    assert.match(await refused("."), /^2 .*\. exists and is not empty/);
    assert.match(await refused("new", "--name", "Org.New"), /^2 .*--name must be lower-case words.*got "Org\.New"/s);
    assert.match(await refused("new", "--template", "php"), /^2 .*--template must be one of .*got "php"/s);
  });

  test("is not left behind half made: without a platform, or if what it needs cannot be installed", async () => {
    const name = uniqueName("org.example.python");
    const creating = (template: string, changed: Readonly<Record<string, string>>) => {
      const env = { ...environment(), ...changed };
      return run(process.execPath, [appctl, "create", name, "--template", template], { cwd: parent, env });
    };
    const refused = (code: number, text: RegExp) => (failed: { code: number; stderr: string }) => {
      assert.match(failed.stderr, text);
      return failed.code === code && !existsSync(join(parent, name));
    };
    const nowhere = { APPSERVER_HTTP_URL: "http://127.0.0.1:9" };
    await assert.rejects(creating("api", nowhere), refused(3, /127\.0\.0\.1:9 is unreachable .*APPSERVER_HTTP_URL/));
    await assert.rejects(creating("python", { PATH: "/nonexistent" }), refused(1, /could not run python3 .*Nothing was made/));
  });

  test("is taken into use at each change while dev runs, without a failed request", async () => {
    const name = await created("esm", uniqueName("org.example.changed"));
    const child = spawn(process.execPath, [appctl, "dev", name], { cwd: parent, env: environment() });
    running.push(child);
    let printed = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
    await until("the app serves", () => printed.includes("serves after"));

    await edit(`${name}/src/routes.js`, "hello: params.name", "servus: params.name");
    const seen: string[] = [];
    await until(
      "the change serves",
      async () => seen.push(await greeting(name)) > 0 && seen.at(-1)?.includes("servus") === true,
    );
    assert.deepEqual(
      seen.filter((answer) => !answer.startsWith("200 ")),
      [],
    );

    const processOf = async (): Promise<unknown> => JSON.parse((await greeting(name)).replace(/^200 /, "")).pid;
    await edit(`${name}/src/routes.js`, "servus: params.name", "servus: params.name, pid: process.pid");
    await until("the backend was replaced", async () => Number.isInteger(await processOf()));
    const pid = await processOf();
    const pageHas = async (text: string): Promise<boolean> => {
      const { entryUrl = "" } = (await platform.client().marketplace.getApp({ name })).app ?? {};
      return (await (await fetch(new URL(entryUrl, platform.httpUrl), { headers: { cookie } })).text()).includes(text);
    };
    for (const [from, to] of [
      ["Loading…", "One moment…"],
      ["One moment…", "Two moments…"],
      // A return to what was there before.
      ["Two moments…", "Loading…"],
    ] as const) {
      await edit(`${name}/web/page.js`, from, to);
      await until("the new page serves", () => pageHas(to));
    }
    await until("the line of the third page is printed", () => printed.split("serves its new page after").length === 4);
    assert.equal(await processOf(), pid, "the backend runs on");

    await edit(`${name}/src/server.js`, "import", 'throw new Error("out of order");\nimport');
    await until("the reason is printed", () => /did not start: .*out of order/.test(printed));
    await until("the place is that of the own file", () => printed.includes(`${join(parent, name)}/src/server.js:1`));
    assert.doesNotMatch(printed, /processes\/snapshots|DEPLOYMENT_/);
    assert.match(await greeting(name), /^200 .*servus/);
    printed = "";
    await edit(`${name}/src/server.js`, 'throw new Error("out of order");\nimport', "import");
    await until("the folder has again what serves", () => printed.includes(`${name} 0.1.0 serves again what the folder has`));
    assert.doesNotMatch(printed, /did not start/);
    await edit(`${name}/app.yaml`, "mode: ESM_COMPONENT", "mode: PAGE");
    await until("the place of the mistake is printed", () => /app\.yaml:\d+:\d+: .*mode/.test(printed));

    const ended = once(child, "close");
    child.kill("SIGINT");
    await ended;
  });
});
