import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { RunningPlatform, send, until } from "@appserver/testing/kit";

const run = promisify(execFile);
const appctl = resolve(import.meta.dirname, "../../bin/appctl.mjs");
const api = "/api/apps/com.example.todos";

/** As a developer does it, with packages of the npm registry. */
describe("an app of the template in TypeScript", () => {
  const ends = new AsyncDisposableStack();
  let platform: RunningPlatform;
  let parent = "";
  let folder = "";
  before(async () => {
    parent = await mkdtemp(join(tmpdir(), "appserver-typescript-"));
    ends.defer(() => rm(parent, { recursive: true, force: true }));
    folder = join(parent, "todos");
    platform = await RunningPlatform.start({ flags: ["--no-examples"] });
    ends.defer(() => platform.stop());
    await ctl("create", "todos", "--template", "typescript");
  });
  after(() => ends.disposeAsync());

  const ctl = (...args: string[]) => {
    const env = { ...process.env, APPSERVER_HTTP_URL: platform.httpUrl, APPSERVER_GRPC_URL: platform.grpcUrl };
    return run(process.execPath, [appctl, ...args], { cwd: parent, env });
  };
  const call = async (user: string, method: string, path: string, body?: object) => {
    const headers = { cookie: await platform.login(user), "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return await send(platform.httpUrl, api + path, { method, headers, ...sent });
  };

  test("the compiler accepts it", async () => {
    await run("npm", ["run", "check"], { cwd: folder });
  });

  test("deploy builds its page and serves tasks of its database, to those who have the permission", async () => {
    const { stdout } = await ctl("--json", "deploy", "todos");
    const { url } = JSON.parse(stdout) as { url: string };
    assert.equal(new URL(url).pathname, "/todos");
    const added = await call("admin", "POST", "/tasks", { title: "Call Bob", details: "About the offer" });
    assert.equal(added.status, 201, added.text);
    const { id, createdBy } = JSON.parse(added.text) as { id: string; createdBy: string };
    assert.equal(createdBy, "admin");
    assert.match((await call("admin", "PATCH", `/tasks/${id}`, { done: true })).text, /"doneAt"/);
    assert.match((await call("admin", "GET", "/tasks")).text, /"Call Bob"/);
    assert.equal((await call("alice", "GET", "/tasks")).status, 403);
    const page = await send(platform.httpUrl, "/apps/com.example.todos/assets/remoteEntry.js", {
      headers: { cookie: await platform.login("admin") },
    });
    assert.equal(page.status, 200);
  });

  test("its activity runs, and its secret setting is used and not shown", async () => {
    const { stdout } = await ctl("--json", "activities", "trigger", "com.example.todos", "clean-up", "--watch");
    assert.match(stdout, /"output":\{"removed":0\}/);
    const posted: string[] = [];
    const chat = createServer((request, response) => {
      request.setEncoding("utf8").on("data", (text: string) => posted.push(text));
      response.end();
    }).listen(0, "127.0.0.1");
    ends.defer(() => void chat.close());
    await once(chat, "listening");
    const hook = `http://127.0.0.1:${(chat.address() as AddressInfo).port}/canary`;
    await ctl("settings", "set", "com.example.todos", `todos.webhook=${hook}`);
    await until("a task is posted", async () => {
      await call("admin", "POST", "/tasks", { title: "Call Ada" });
      return posted.includes('{"text":"New task: Call Ada"}');
    });
    const { stdout: listed } = await ctl("settings", "list", "com.example.todos");
    assert.doesNotMatch(listed, /canary/);
  });
});
