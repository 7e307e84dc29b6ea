import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { brokerMigrations, PostgresBroker } from "@appserver/broker-postgres";
import { systemEventOf } from "@appserver/contracts/events";
import { UpgradeStrategy } from "@appserver/contracts/proto/appserver/v2/manifest";
import { type Caller, OutboxRelay, SystemClock, silentLogger } from "@appserver/kernel";
import { callBy, SqlEventHistory, until } from "@appserver/testing/kit";
import {
  createDrainReporter,
  createLiveApps,
  createMarketplaceReads,
  holdsRequests,
  type LiveApps,
  routedGeneration,
} from "../src/index.ts";
import { applyDeployment, applyResuming } from "../src/use-cases/apply-deployment.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import { rollbackApp, upgradeApp } from "../src/use-cases/upgrade-app.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const system: Caller = { kind: "system", reason: "test" };
const clock = new SystemClock();
const pausedAt = new Date();
const final = { final: true, lastError: { code: "UPSTREAM_ERROR", message: "the app exited with code 1" } } as const;

describe("releases that replace the running one", () => {
  let home: Awaited<ReturnType<typeof startMarketplace>>;
  before(async () => {
    home = await startMarketplace();
  });
  after(() => home?.stop());

  const stored: typeof home.stored = (name) => home.stored(name);
  const isHeld = async (name: string) => holdsRequests(await stored(name));
  /** Runs version 1.0.0 and starts the upgrade to 1.1.0, which replaces it. */
  const replacing = async (name: string) => {
    const { identity, app } = await home.register(name);
    await installApp(home.context, { name }, callBy(system));
    home.deploy(app.id, 1, "HEALTHY");
    await applyDeployment(home.context, name);
    await home.submit(name, identity, { version: "1.1.0", upgrade: UpgradeStrategy.REPLACE });
    await upgradeApp(home.context, { name }, callBy(system));
    return app.id;
  };
  /** Makes the orchestrator report a deployment. */
  const report = async (name: string, ...deployment: Parameters<typeof home.deploy>) => {
    home.deploy(...deployment);
    await applyDeployment(home.context, name);
  };
  /** The running release is stopped, and the next one starts. */
  const stopped = async (name: string): Promise<string> => {
    const id = await replacing(name);
    await report(name, id, 2, "CREATING");
    home.deploy(id, 1, "HEALTHY", { pausedAt });
    await report(name, id, 2, "STARTING");
    assert.equal(await isHeld(name), true);
    return id;
  };
  const routingEvents = async (name: string) =>
    (await home.eventsOf(name)).filter(({ type }) => type === "app.routing_changed").map(({ body }) => body["isHeld"]);

  test("requests wait only when the image of the release is there, until it serves", async () => {
    const name = "com.example.replaced";
    const id = await replacing(name);
    await report(name, id, 2, "PULLING");
    assert.equal(await isHeld(name), false);
    await report(name, id, 2, "CREATING");
    assert.equal(await isHeld(name), true);
    // Its own container is stopped by now.
    home.deploy(id, 1, "STARTING");
    await report(name, id, 2, "STARTING");
    assert.deepEqual([await isHeld(name), (await stored(name)).state], [true, "RUNNING"]);
    await report(name, id, 2, "HEALTHY");
    assert.deepEqual([(await stored(name)).version, await isHeld(name)], ["1.1.0", false]);
    assert.deepEqual(await routingEvents(name), [true]);
  });

  test("after a release that failed, requests wait until the one before runs again, and the app stays RUNNING", async () => {
    const name = "com.example.returning";
    const id = await stopped(name);
    await report(name, id, 2, "FAILED", final);
    const reverted = await stored(name);
    assert.deepEqual([reverted.target, await isHeld(name), routedGeneration(reverted)], [undefined, true, 1]);
    for (const [state, more] of [["HEALTHY", { pausedAt }], ["RESTARTING"], ["STARTING"]] as const) {
      await report(name, id, 1, state, more);
      await applyResuming(home.context);
      assert.deepEqual([await isHeld(name), (await stored(name)).state], [true, "RUNNING"], state);
    }
    home.deploy(id, 1, "HEALTHY", { endpoint: "http://127.0.0.1:9" });
    await applyResuming(home.context);
    const back = await stored(name);
    assert.deepEqual([await isHeld(name), back.state, back.endpoint], [false, "RUNNING", "http://127.0.0.1:9"]);
    assert.deepEqual(await routingEvents(name), [true, false]);
    assert.equal((await home.stored(name)).requestsBufferedSince, undefined);
  });

  test("after a cancelled replacement, requests wait until the mark of the stop is removed", async () => {
    const name = "com.example.cancelled";
    const id = await stopped(name);
    await rollbackApp(home.context, { name }, callBy(system));
    await applyResuming(home.context);
    assert.equal(await isHeld(name), true);
    home.deploy(id, 1, "HEALTHY");
    await applyResuming(home.context);
    assert.equal(await isHeld(name), false);
  });

  test("requests do not wait for a deployment that was given up, or that takes longer than 30 s", async () => {
    for (const [name, state, more, waitedMs] of [
      ["com.example.lost", "FAILED", final, 0],
      ["com.example.slow", "RESTARTING", {}, 30_000],
    ] as const) {
      const id = await stopped(name);
      await report(name, id, 2, "FAILED", final);
      home.deploy(id, 1, state, more);
      await applyResuming(home.context);
      const later = { now: () => Date.now() + waitedMs };
      await applyResuming({ ...home.context, clock: Object.assign(new SystemClock(), later) });
      assert.deepEqual([await isHeld(name), (await stored(name)).state === "RUNNING"], [false, false], name);
    }
  });

  describe("with two replicas", () => {
    const replicas: LiveApps[] = [];
    const stops: (() => Promise<unknown> | undefined)[] = [];

    beforeEach(async () => {
      const { database } = home;
      await database.migrate(brokerMigrations);
      const broker = new PostgresBroker({ database, clock, logger: silentLogger, prefetch: 10, maxRetries: 5 });
      await broker.start();
      const relay = new OutboxRelay({
        database,
        broker,
        history: new SqlEventHistory({ database, clock, present: systemEventOf }),
        clock,
        logger: silentLogger,
      });
      relay.start();
      stops.push(
        () => broker.stop(),
        () => relay.stop(),
      );
      for (const _ of [1, 2]) {
        // Their periodic checks do not run, so that only events can notify them.
        const still = Object.assign(new SystemClock(), { sleep: waitForAbort });
        const apps = createLiveApps({ database, broker, clock: still, logger: silentLogger });
        const routing = { drainState: () => undefined };
        const reporter = createDrainReporter({ database, apps, routing, clock: still, logger: silentLogger });
        await reporter.start();
        await apps.start();
        stops.push(
          () => reporter.stop(),
          () => apps.stop(),
        );
        replicas.push(apps);
      }
    });
    after(async () => {
      for (const stop of stops.reverse()) await stop();
    });

    test("each learns by an event when requests wait and when they continue, and reports it to the orchestrator", async () => {
      const name = "com.example.shared";
      const id = await replacing(name);
      const held = () => replicas.map((apps) => apps.get(name)?.app).map((app) => app && holdsRequests(app));
      const waiting = async (generation: number) =>
        (await createMarketplaceReads(home.database).drainState(id, generation)).waiting;
      await until("both report the running generation", async () => (await waiting(1)) === 0);
      assert.deepEqual([held(), await waiting(2)], [[false, false], 2]);
      await report(name, id, 2, "CREATING");
      await until("both hold", () => held().every((is) => is === true));
      await until("both have reported it", async () => (await waiting(2)) === 0);
      home.deploy(id, 1, "HEALTHY", { pausedAt });
      await report(name, id, 2, "FAILED", final);
      await until("both route to the running generation", () =>
        replicas.every((apps) => apps.get(name)?.app.target === undefined),
      );
      assert.deepEqual(held(), [true, true]);
      await report(name, id, 1, "HEALTHY");
      await until("both forward", () => held().every((is) => is === false));
    });
  });
});

function waitForAbort(_ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true }));
}
