import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { containerApi, eventually, jsonOf, send, testApp, untilRouted, writeAppFolder } from "@appserver/testing/kit";
import { dataOf } from "../../contract/commands.ts";
import { ContainerPlatform, type ContainerServices, startContainerServices } from "../../faults/switches/container-platform.ts";

const name = "test.idle";
const container = `app-${name}`;
const sleepAfterMs = 3_000;

/** The response has an id of the process and the time that it took from its start until it listened. */
const source = `
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
const instance = randomUUID();
let startMs = 0;
const server = createServer((request, response) => response.end(JSON.stringify({ instance, startMs })));
server.listen(Number(process.env.PORT), process.env.HOST, () => (startMs = Math.round(performance.now())));
`;

interface Answer {
  readonly instance: string;
  readonly startMs: number;
}

interface Shown {
  readonly state: string;
  readonly health: string;
  readonly asleepSince: string | null;
  readonly deployment: { readonly state: string; readonly restartCount: number; readonly containerId: string };
}

const found = await startContainerServices();

/** docs/interface/sleep.md */
describe("apps in containers that sleep", { skip: "unavailable" in found ? found.unavailable : false }, () => {
  const services = found as ContainerServices;
  const { engine } = services;
  let platform: ContainerPlatform;
  let folder = "";
  before(async () => {
    platform = await ContainerPlatform.start(services, {
      servers: 1,
      orchestrators: 1,
      ofServers: { APPSERVER_APPS_SLEEP_AFTER: `${sleepAfterMs}ms` },
      ofOrchestrators: {},
    });
    folder = await writeAppFolder(source);
    await engine.publish(`${services.registry.host}/${name}:latest`, folder);
    await platform.register(await testApp({ name, web_app: { api: containerApi(name) } }));
    await platform.client().marketplace.installApp({ name });
    await untilRouted(platform.httpUrls[0] ?? "", name, "/");
  });
  after(async () => {
    await platform?.stop();
    if (folder) await rm(folder, { recursive: true });
  });

  const ask = () => send(platform.httpUrls[0] ?? "", `/api/apps/${name}/`);
  const statusOfContainer = async () => (await engine.inspect(container))?.State.Status;
  const shown = async (): Promise<Shown> => {
    const fields = "state health asleepSince deployment { state restartCount containerId }";
    return (await dataOf<{ readonly app: Shown }>(platform, `{ app(name: "${name}") { ${fields} } }`)).app;
  };
  const untilAsleep = async (): Promise<Shown> => {
    await eventually(statusOfContainer, (status) => status === "exited", { what: "the container is stopped" });
    const seen = await shown();
    assert.deepEqual([seen.state, seen.health, seen.deployment.state], ["RUNNING", "HEALTHY", "ASLEEP"]);
    assert.ok(seen.asleepSince);
    return seen;
  };
  /** Returns the process that has answered, and prints how long that took. */
  const wake = async (diagnostic: (message: string) => void): Promise<Answer> => {
    const askedAt = performance.now();
    const answer = await ask();
    const tookMs = Math.round(performance.now() - askedAt);
    assert.equal(answer.status, 200, answer.text);
    const seen = jsonOf(answer) as Answer;
    diagnostic(`answered after ${tookMs} ms, of which the app took ${seen.startMs} ms until it listened`);
    return seen;
  };

  test("a request starts the stopped container of an idle app, which is the same one and has not restarted", async (t) => {
    const before = await untilAsleep();
    const { instance } = await wake((message) => t.diagnostic(message));
    const others = await Promise.all(Array.from({ length: 50 }, ask));
    assert.deepEqual(new Set(others.map(({ text }) => (JSON.parse(text) as Answer).instance)), new Set([instance]));
    const { asleepSince, deployment } = await shown();
    assert.equal(asleepSince, null);
    assert.deepEqual(deployment, { ...before.deployment, state: "HEALTHY" });
  });

  test("a restart of the orchestrator and of the server wakes nothing, and a request does afterwards", async (t) => {
    const { asleepSince } = await untilAsleep();
    const orchestrator = platform.orchestrator(0);
    await orchestrator.stop();
    await platform.group.restart();
    orchestrator.start();
    await orchestrator.ready();
    // What would wake it acts within a moment.
    await sleep(sleepAfterMs);
    assert.equal((await untilAsleep()).asleepSince, asleepSince);
    await wake((message) => t.diagnostic(message));
    assert.equal(await statusOfContainer(), "running");
  });
});
