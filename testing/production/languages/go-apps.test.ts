import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { RunStatus } from "@appserver/contracts/proto/appserver/v2/activity";
import { eventually, RunningPlatform, send, until } from "@appserver/testing/kit";
import { fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { findGo } from "../../../tools/services/go-program.ts";

const run = promisify(execFile);
const appctl = resolve(import.meta.dirname, "../../../bin/appctl.mjs");
const go = findGo();
const name = "com.example.hello";

/** Nothing of it is of the SDK: what works here works in each language with HTTP. */
describe("apps in Go", { skip: go === undefined && "no Go toolchain" }, () => {
  let platform: RunningPlatform;
  let parent: string;
  let cookie: string;
  before(async () => {
    parent = await mkdtemp(join(tmpdir(), "appserver-go-"));
    platform = await RunningPlatform.start({ flags: ["--no-examples"] });
    cookie = await platform.login("admin");
  });
  after(async () => {
    await platform?.stop();
    await rm(parent, { recursive: true });
  });

  const path = [dirname(go ?? ""), process.env["PATH"]].join(delimiter);
  const ctl = (...args: string[]) => {
    const env = { ...process.env, PATH: path, APPSERVER_HTTP_URL: platform.httpUrl, APPSERVER_GRPC_URL: platform.grpcUrl };
    return run(process.execPath, [appctl, ...args], { cwd: parent, env });
  };
  const hello = async (method = "GET") => {
    const { status, text } = await send(platform.httpUrl, `/api/apps/${name}/hello/ada`, { method, headers: { cookie } });
    return `${status} ${text.trim()}`;
  };

  test("the template passes the test vectors, and deploy builds it and takes it into use", async () => {
    await ctl("create", "hello", "--template", "go");
    const { stdout: unformatted } = await run("gofmt", ["-l", "."], {
      cwd: join(parent, "hello"),
      env: { ...process.env, PATH: path },
    });
    assert.equal(unformatted, "");
    await run("go", ["test", "./..."], { cwd: join(parent, "hello"), env: { ...process.env, PATH: path } });
    await ctl("deploy", "hello");
    assert.equal(await hello(), '200 {"from":"admin","greeting":"Hello","hello":"ada"}');
    const { stdout: findings } = await ctl("doctor", "hello");
    assert.match(findings, /^ok {7}the backend is started by \.\/dist\/server$/m);
  });

  test("it reads its settings by a signed call", async () => {
    await ctl("settings", "set", name, "hello.greeting=Servus");
    await until("the setting is used", async () => (await hello()).includes('"Servus"'));
  });

  test("it triggers a hook by a signed call, and takes it as a signed post", async () => {
    assert.equal(await hello("POST"), '202 {"ok":true}');
    await until("the hook is handled", async () => (await ctl("logs", name)).stdout.includes("admin greeted ada"));
  });

  test("it does runs of an activity that are posted to it", async () => {
    const { activities } = platform.client();
    const ended = async (input: JsonValue) => {
      const { run: started } = await activities.triggerActivity({
        appName: name,
        activity: "sum",
        input: fromJson(ValueSchema, input),
      });
      return await eventually(
        async () => (await activities.getRun({ id: started?.id ?? "" })).run,
        (found) => found?.status === RunStatus.COMPLETED || found?.status === RunStatus.FAILED,
      );
    };
    const { output } = (await ended(4)) ?? assert.fail();
    assert.deepEqual(output && toJson(ValueSchema, output), { total: 10 });
    const { error, attempt } = (await ended(-1)) ?? assert.fail();
    assert.deepEqual([error?.code, error?.message, attempt], ["NEGATIVE", "the input must not be negative", 1]);
  });

  test("it refuses what the platform has not signed", async () => {
    const { stdout } = await ctl("--json", "describe", name);
    const endpoint = /"endpoint": "(http:[^"]+)"/.exec(stdout)?.[1] ?? assert.fail(stdout);
    assert.equal((await fetch(new URL("/hello/ada", endpoint))).status, 401);
    assert.equal((await fetch(new URL("/runs/sum", endpoint), { method: "POST", body: "{}" })).status, 401);
    assert.equal((await fetch(new URL("/health", endpoint))).status, 200);
  });
});
