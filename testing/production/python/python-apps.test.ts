import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { RunStatus } from "@appserver/contracts/proto/appserver/v2/activity";
import { eventually, RunningPlatform, send, until } from "@appserver/testing/kit";
import { fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { ensureBoardPython, ensurePip } from "../../../tools/services/python-packages.ts";

const run = promisify(execFile);
const appctl = resolve(import.meta.dirname, "../../../bin/appctl.mjs");
const trial = "com.example.trial";
const python = await ensureBoardPython();
const pip = ensurePip();
const [unavailable] = [python, pip].flatMap((each) => ("unavailable" in each ? each.unavailable : []));

describe("apps in Python", { skip: unavailable ?? false }, () => {
  let platform: RunningPlatform;
  let parent: string;
  before(async () => {
    parent = await mkdtemp(join(tmpdir(), "appserver-python-"));
    platform = await RunningPlatform.start({ flags: ["--no-examples"] });
  });
  after(async () => {
    await platform?.stop();
    await rm(parent, { recursive: true });
  });

  const [command, packages] = "unavailable" in python ? ["", ""] : [python.path, python.packages];
  const ctl = (...args: string[]) => {
    const env = { ...process.env, APPSERVER_HTTP_URL: platform.httpUrl, APPSERVER_GRPC_URL: platform.grpcUrl };
    return run(process.execPath, [appctl, ...args], { cwd: parent, env });
  };
  const call = async (path: string, method = "GET", body?: object): Promise<unknown> => {
    const headers = { "content-type": "application/json" };
    const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
    const { status, text } = await send(platform.httpUrl, `/api/apps/${trial}${path}`, { method, ...sent });
    assert.equal(status, 200, text);
    return JSON.parse(text);
  };

  test("pip installs the SDK from the index of the platform into an empty folder", async () => {
    const target = join(parent, "installed");
    const options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--target", target];
    await run(command, ["-m", "pip", "install", ...options, "--index-url", `${platform.httpUrl}/sdk/python/`, "appserver-sdk"]);
    // The first folder of the packages is that of the sources.
    const [, others = ""] = packages.split(delimiter);
    const program = `
import appserver_sdk, importlib.metadata, os
print(importlib.metadata.version("appserver-sdk"), os.path.dirname(appserver_sdk.__file__))`;
    const env = { ...process.env, PYTHONPATH: [target, others].join(delimiter) };
    const { stdout } = await run(command, ["-B", "-c", program], { env });
    const { data } = await platform.graphql("{ health { version } }");
    const { version } = (data as { health: { version: string } }).health;
    assert.equal(stdout.trim(), `${version} ${join(target, "appserver_sdk")}`);
  });

  test("the template passes its own test, and deploy takes it and its changes into use", async (context) => {
    try {
      await ctl("create", "hello", "--template", "python");
    } catch (error) {
      const { stderr } = error as { readonly stderr: string };
      if (/No matching distribution found for (?!appserver)/.test(stderr)) return context.skip(`python packages: ${stderr}`);
      throw error;
    }
    await run(".venv/bin/python3", ["-W", "error", "-m", "unittest"], { cwd: join(parent, "hello") });
    const headers = { cookie: await platform.login("admin") };
    const api = `${platform.httpUrl}/api/apps/com.example.hello`;
    const tasks = async (user: "admin" | "alice", body?: object) => {
      const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
      return await fetch(`${api}/tasks`, { headers: { cookie: await platform.login(user) }, ...sent });
    };
    const { stdout } = await ctl("--json", "deploy", "hello");
    const { url } = JSON.parse(stdout) as { url: string };
    assert.equal((await tasks("admin", { title: "Call Bob" })).status, 201);
    assert.match(await (await tasks("admin")).text(), /"title": "Call Bob", .*"createdBy": "admin"/);
    assert.equal((await tasks("alice")).status, 403);
    const { stdout: ran } = await ctl("--json", "activities", "trigger", "com.example.hello", "clean-up", "--watch");
    assert.match(ran, /"output":\{"removed":0\}/);
    assert.equal((await send(platform.httpUrl, new URL(url).pathname, { headers })).status, 200);
    const { stdout: findings } = await ctl("doctor", "hello");
    assert.match(findings, /^ok {7}the backend is backend\/__main__\.py$/m);

    await run("sed", ["-i", 's/{"tasks": /{"servus": /', "hello/backend/routes.py"], { cwd: parent });
    await ctl("deploy", "hello");
    await until("the change serves", async () => (await (await tasks("admin")).text()).startsWith('{"servus": [{"id"'));
  });

  describe("an app that uses all of the SDK", () => {
    before(async () => {
      await cp(join(import.meta.dirname, "trial"), join(parent, "trial"), { recursive: true });
      await ctl("keys", "generate", "trial", "--name", trial);
      await ctl("deploy", "trial");
    });

    test("follows its settings and changes them", async () => {
      const settings = () => call("/settings") as Promise<Readonly<Record<string, unknown>>>;
      await eventually(settings, (values) => values["trial.greeting"] === "hello");
      const changed = await call("/settings", "PUT", { "trial.greeting": "servus" });
      assert.equal((changed as Record<string, unknown>)["trial.greeting"], "servus");
      await ctl("settings", "set", trial, "trial.greeting=moin");
      await eventually(settings, (values) => values["trial.greeting"] === "moin");
    });

    test("triggers hooks, and receives them over a stream and as requests", async () => {
      const data = { whole: 1, half: 0.5, text: "é", list: [null, true] };
      assert.deepEqual(await call("/trigger", "POST", data), { subscribers: [1, 1], hasTrace: true });
      const received = await eventually(
        () => call("/hooks") as Promise<readonly unknown[]>,
        (hooks) => hooks.length === 2,
      );
      const expected = ["made", "posted"].map((name) => [`${trial}.${name}`, trial, data]);
      assert.deepEqual([...received].sort(), expected);
    });

    test("runs activities, reports their progress, and ends canceled ones", async () => {
      const { activities } = platform.client();
      const started = async (activity: string, input: JsonValue): Promise<string> => {
        const message = { appName: trial, activity, input: fromJson(ValueSchema, input) };
        return (await activities.triggerActivity(message)).run?.id ?? "";
      };
      const untilRun = async (id: string, status: RunStatus, stage?: string) =>
        await eventually(
          async () => (await activities.getRun({ id })).run,
          (found) => found?.status === status && (stage === undefined || found.stage === stage),
        );
      const counted = await untilRun(await started("count", 4), RunStatus.COMPLETED);
      assert.deepEqual(counted?.output && toJson(ValueSchema, counted.output), { total: 10, attempt: 1 });
      const waiting = await started("wait", null);
      assert.equal((await untilRun(waiting, RunStatus.RUNNING, "waiting"))?.progress, 0.5);
      await activities.cancelRun({ id: waiting });
      await untilRun(waiting, RunStatus.CANCELED);
      await assert.rejects(started("wait", 1), /input/);
    });

    test("calls apps with its name, and takes requests of the platform only", async () => {
      const { app, port, storage } = (await call("/self")) as { app: string; port: number; storage: boolean };
      assert.deepEqual([app, storage], [trial, true]);
      assert.equal((await fetch(`http://127.0.0.1:${port}/caller`)).status, 401);
      assert.equal((await fetch(`http://127.0.0.1:${port}/health`)).status, 200);
    });

    test("prints lines that the platform shows", async () => {
      const { stdout } = await ctl("logs", trial, "--tail", "50");
      assert.match(stdout, /triggering/);
    });
  });
});
