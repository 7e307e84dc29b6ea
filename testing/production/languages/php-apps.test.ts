import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { RunStatus } from "@appserver/contracts/proto/appserver/v2/activity";
import { eventually, RunningPlatform, send, until } from "@appserver/testing/kit";
import { fromJson, toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { ensureProgram } from "../../../tools/services/debian-programs.ts";

const run = promisify(execFile);
const repository = resolve(import.meta.dirname, "../../..");
const php = ensureProgram("php");
const name = "com.example.php";

/** A second language without an SDK, whose runs are reported later. */
describe("an app in PHP", { skip: "unavailable" in php && php.unavailable }, () => {
  let platform: RunningPlatform;
  let parent: string;
  let folder: string;
  let cookie: string;
  before(async () => {
    parent = await mkdtemp(join(tmpdir(), "appserver-php-"));
    folder = join(parent, "php");
    await cp(join(import.meta.dirname, "php"), folder, { recursive: true });
    platform = await RunningPlatform.start({ flags: ["--no-examples"] });
    cookie = await platform.login("admin");
    await ctl("keys", "generate", "php", "--name", name);
    await ctl("deploy", "php");
  });
  after(async () => {
    await platform?.stop();
    await rm(parent, { recursive: true });
  });

  const ctl = (...args: string[]) => {
    const env = { ...process.env, APPSERVER_HTTP_URL: platform.httpUrl, APPSERVER_GRPC_URL: platform.grpcUrl };
    return run(process.execPath, [join(repository, "bin/appctl.mjs"), ...args], { cwd: parent, env });
  };
  const call = async (path: string, method = "GET", body?: object) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const { status, text } = await send(platform.httpUrl, `/api/apps/${name}${path}`, { method, headers: { cookie }, ...sent });
    return `${status} ${text}`;
  };
  const logs = async () => (await ctl("logs", name)).stdout;

  test("its code agrees with the test vectors", async () => {
    const path = "path" in php ? php.path : "";
    const { stdout } = await run(path, ["vectors.php", join(repository, "contracts/vectors.json")], { cwd: folder });
    assert.equal(stdout, "");
  });

  test("takes requests, reads its settings, triggers a hook and takes it", async () => {
    assert.equal(await call("/hello"), '200 {"hello":"visitor","greeting":"Hello"}');
    assert.equal(await call("/hello", "POST"), '202 {"ok":true}');
    await until("the hook is handled", async () => (await logs()).includes("greeted ada"));
  });

  test("accepts a run, and reports its progress and its result later", async () => {
    const { activities } = platform.client();
    const message = { appName: name, activity: "later", input: fromJson(ValueSchema, 4) };
    const id = (await activities.triggerActivity(message)).run?.id ?? "";
    await until("the run is accepted", async () => (await logs()).includes(`accepted later ${id} with 4`));
    assert.equal((await activities.getRun({ id })).run?.status, RunStatus.RUNNING);
    assert.equal(await call("/report", "POST", { id }), '200 "half"');
    const { run: ended } = await activities.getRun({ id });
    assert.equal(ended?.status, RunStatus.COMPLETED);
    assert.deepEqual(ended?.output && toJson(ValueSchema, ended.output), { total: 10 });
  });

  test("no caller reaches the paths of hooks and runs", async () => {
    const body = { activity: "later", id: "1", input: 1 };
    assert.match(await call("/runs/later", "POST", body), /^401 .*the post is not signed/);
    await eventually(async () => !(await logs()).includes("accepted later 1 "));
  });
});
