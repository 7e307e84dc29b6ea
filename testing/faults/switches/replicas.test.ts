import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@appserver/testing/kit";
import { freezeProcess } from "../../../tools/services/freeze-process.ts";
import { inTurn, underLoad } from "../../kit/under-load.ts";
import { ContainerPlatform, type ContainerServices, startContainerServices } from "./container-platform.ts";
import { severalInstances } from "./instances.ts";
import { instanceAt } from "./streams.ts";
import { switchSuite } from "./switch-suite.ts";
import type { StreamFixture } from "./switch-under-load.ts";

/** A server that was not seen for 60 s is not waited for. It was last seen at most 5 s before it was frozen. */
const waitedForMs = 60_000 - 5_000;
/**
 * An orchestrator that waits only for exchanges stops the old container during this time. By default it is longer than the
 * drain timeout.
 */
const quietMs = 8_000;

const services = await startContainerServices();
let platform: ContainerPlatform;

switchSuite(
  {
    name: "switches of apps in containers, with two servers and two orchestrators",
    skip: "unavailable" in services ? services.unavailable : false,
    start: async (ofOrchestrators) => {
      const options = { servers: 2, orchestrators: 2, ofOrchestrators };
      platform = await ContainerPlatform.start(services as ContainerServices, options);
      return platform;
    },
  },
  (fixture) => {
    test("the old container runs until every server has reported the switch, also one that was frozen", (t) =>
      awaitFrozenServer(t, fixture()));

    test("three instances share the requests, and neither an upgrade nor another number of them fails a request", (t) =>
      severalInstances(t, fixture(), (container) => (services as ContainerServices).engine.killContainer(container)));
  },
);

/**
 * While one of two servers has not reported the switch, the old container runs, although no exchange uses it. Requests that wait
 * in that server get their responses from it. Its end after 60 s is tested in `services/marketplace/test/drains.test.ts`.
 */
async function awaitFrozenServer(t: TestContext, { releases, app }: StreamFixture): Promise<void> {
  const [live, frozen] = [platform.group.server(0), platform.group.server(1)];
  const path = app.path("/instance");
  const load = { calls: inTurn([live.httpUrl], path), frozen: inTurn([frozen.httpUrl], path) };
  await underLoad(t, load, async () => {
    const [old = assert.fail("no container"), ...others] = await platform.running(app.name);
    assert.deepEqual(others, []);
    const instance = await instanceAt(live.httpUrl, app);
    await app.offer(await releases.streaming("3.0.0"));
    const thaw = (): void => void process.kill(frozen.pid, "SIGCONT");
    t.after(thaw);
    freezeProcess(frozen.pid);
    const frozenAt = performance.now();
    await app.upgrade();
    await until("the other server has switched", async () => (await instanceAt(live.httpUrl, app)) !== instance);
    await sleep(quietMs);
    assert.ok((await platform.running(app.name)).includes(old), "the old container was stopped before the report of a server");
    const frozenMs = performance.now() - frozenAt;
    assert.ok(frozenMs < waitedForMs, `this machine is too busy: the switch took ${frozenMs} ms`);
    thaw();
    await until("the old container is stopped", async () => !(await platform.running(app.name)).includes(old));
  });
}
