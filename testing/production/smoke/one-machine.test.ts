import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { send, uniqueName, untilStatus, writeAppFolder } from "@appserver/testing/kit";
import { appserver, completeAccount, logInToAccounts, UpProcess } from "@appserver/testing/kit/production";
import { removeDataFolder } from "../../kit/remove-data-folder.ts";

const run = promisify(execFile);
const appctl = resolve(import.meta.dirname, "../../../bin/appctl.mjs");
const name = uniqueName("org.example.first");
const account = { email: "ada@example.test", name: "Ada Admin", password: "a horse is no battery" };

/** docs/interface/operations.md#one-machine */
describe("appserver up", () => {
  const ends = new AsyncDisposableStack();
  let up: UpProcess;
  let appFolder = "";
  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "appserver-up-smoke-"));
    ends.defer(() => removeDataFolder(dataDir));
    const processes = { APPSERVER_CONTAINERS_DRIVER: "process", APPSERVER_ALLOW_PROCESSES: "true" };
    up = await UpProcess.create(dataDir, processes);
    ends.defer(async () => void (await up.stop()));
    up.start();
    await up.ready();
    appFolder = await writeAppFolder(`import { createServer } from "node:http";
createServer((request, response) => response.end("hello")).listen(Number(process.env.PORT), process.env.HOST);
`);
    ends.defer(() => rm(appFolder, { recursive: true }));
    await writeFile(
      join(appFolder, "app.yaml"),
      `name: ${name}
display_name: First
version: 1.0.0
web_app:
  api:
    base_path: /api/apps/${name}
    upstream_base_url: http://app-${name}:3000
    health_check: { path: /, interval_seconds: 1 }
    routes: [{ pattern: /, methods: [GET], is_public: true }]
`,
    );
  });
  after(() => ends.disposeAsync());

  test("the first administrator deploys an app from a folder, and the platform serves it, also after a restart", async () => {
    const link = await up.administratorLink();
    assert.equal((await completeAccount(link, account)).email, account.email);
    const token = await logInToAccounts(up.httpUrl, account);
    const ctl = (...args: readonly string[]) => {
      const platform = { APPSERVER_HTTP_URL: up.httpUrl, APPSERVER_GRPC_URL: up.grpcUrl, APPSERVER_TOKEN: token };
      return run(process.execPath, [appctl, ...args], {
        cwd: appFolder,
        env: { PATH: dirname(process.execPath), HOME: appFolder, ...platform },
      });
    };
    await ctl("keys", "generate", ".", "--name", name);
    await ctl("deploy", ".");
    const path = `/api/apps/${name}/`;
    assert.equal((await untilStatus(up.httpUrl, path, 200)).text, "hello");
    assert.equal((await send(up.httpUrl, "/api/v2/apps")).status, 401);

    assert.equal(await up.stop(), 0);
    up.start();
    await up.ready();
    assert.equal((await untilStatus(up.httpUrl, path, 200)).text, "hello");
    assert.doesNotMatch(up.printed, /#token=/, "the link is for the first account only");
    const shown = await appserver(["up", "--show"], up.environment);
    assert.match(shown, /^platform +\d.*process \d+, ready$/m);
    assert.match(shown, /^apps run in +processes of this machine, without isolation$/m);
  });
});
