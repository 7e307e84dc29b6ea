import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { eventually } from "@appserver/testing/kit";
import { dockerEngineForTests, TestDockerEngine } from "@appserver/testing/kit/docker";
import { quietPort } from "@appserver/testing/kit/production";
import { Browser } from "./browser.ts";
import { deployApp } from "./deploy-app.ts";
import { ComposeRun } from "./run-compose.ts";
import { buildUpImage } from "./up-image.ts";

const repository = resolve(import.meta.dirname, "../../..");
const app = "com.example.contained";
const docker = await dockerEngineForTests();

/** What an app prints that reaches the platform, and the server of its database. */
const reach = `
  import { once } from "node:events";
  import { connect } from "node:net";
  const { APPSERVER_HTTP_URL, DB_HOST, DB_PORT } = process.env;
  const { status } = await fetch(new URL("/health", APPSERVER_HTTP_URL));
  const socket = connect(Number(DB_PORT), DB_HOST);
  await once(socket, "connect");
  socket.destroy();
  console.log(status, "reached");`;

/** deploy/up/compose.yaml with the image of deploy/Dockerfile. */
describe("the two containers of one machine", {
  skip: docker instanceof TestDockerEngine ? false : docker.unavailable,
  timeout: 900_000,
}, () => {
  const engine = docker as TestDockerEngine;
  const folder = mkdtempSync(join(tmpdir(), "appserver-compose-"));
  const instance = `test-up-${folder.slice(-6)}`.toLowerCase();
  let compose: ComposeRun;
  let publicUrl = "";
  let browser: Browser;
  before(async () => {
    const [port, internalPort] = [await quietPort(), await quietPort()];
    publicUrl = `http://127.0.0.1:${port}`;
    const { socketPath } = engine;
    compose = new ComposeRun(join(repository, "deploy/up/compose.yaml"), {
      project: instance,
      socketPath,
      names: {
        "${APPSERVER_PUBLIC_URL:?}": `${publicUrl}\n      APPSERVER_INSTANCE: ${instance}\n      APPSERVER_INTERNAL_PORT: "${internalPort}"`,
        "${DOCKER_GROUP:-999}": String(statSync(socketPath).gid),
        "image: appserver/up": `image: ${await buildUpImage(socketPath)}`,
        "appserver.gateway: appserver": `appserver.gateway: ${instance}`,
        "[engine-guard, appserver,": `[engine-guard, ${instance},`,
        "[/var/run/docker.sock:": `[${socketPath}:`,
        '"80:80", "443:443", "127.0.0.1:8081:8081"': `"${port}:${port}", "127.0.0.1:${internalPort}:${internalPort}"`,
      },
    });
    await compose.start();
  });
  after(async () => {
    await compose?.remove();
    await engine.tidyUp(instance, instance);
    await engine.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("an app that is deployed from outside is reached through the platform, and has its database", async () => {
    const logs = (): Promise<string> => compose.docker("logs", compose.container("appserver"));
    const hasLink = (text: string): boolean => text.includes("#token=");
    const log = await eventually(logs, hasLink, { timeoutMs: 180_000, intervalMs: 500, what: "the link" });
    browser = new Browser(publicUrl);
    await browser.becomeAdministrator(/http:\S+#token=\S+/.exec(log)?.[0] ?? "");
    const target = { url: publicUrl, token: browser.token, socketPath: engine.socketPath };
    await deployApp(folder, app, target).catch(async (error: unknown) =>
      assert.fail(`${error}\n${(await logs()).slice(-4_000)}`),
    );
    await eventually(async () => assert.equal((await browser.ask(`/api/apps/${app}/hello/ada`)).status, 200));
    const [container = ""] = await engine.containers(`appserver.instance=${instance}`, false);
    assert.equal(
      await compose.docker("exec", container, "/usr/local/bin/node", "--input-type=module", "-e", reach),
      "200 reached\n",
    );
  });

  test("the platform stops in order, and finds its data at the next start", async () => {
    await compose.docker("stop", "--time", "60", compose.container("appserver"));
    const state = await compose.docker("inspect", "--format", "{{.State.ExitCode}}", compose.container("appserver"));
    assert.equal(state.trim(), "0");
    await compose.docker("start", compose.container("appserver"));
    await eventually(async () => assert.equal((await browser.ask(`/api/apps/${app}/hello/ada`)).status, 200), undefined, {
      timeoutMs: 120_000,
    });
  });
});
