import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Caller } from "@appserver/kernel";
import { callBy } from "@appserver/testing/kit";
import { SqlDrains } from "../src/adapters/sql-drains.ts";
import { createMarketplaceReads, upstreamOf } from "../src/index.ts";
import { applyDeployment, applyDeployments } from "../src/use-cases/apply-deployment.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const system: Caller = { kind: "system", reason: "test" };

/** docs/interface/sleep.md */
describe("apps that are asleep", () => {
  let home: Awaited<ReturnType<typeof startMarketplace>>;
  before(async () => {
    home = await startMarketplace();
  });
  after(() => home?.stop());

  const running = async (name: string): Promise<string> => {
    const { app } = await home.register(name);
    await installApp(home.context, { name }, callBy(system));
    home.deploy(app.id, 1, "HEALTHY");
    await applyDeployment(home.context, name);
    return app.id;
  };
  const report = async (name: string, ...deployment: Parameters<typeof home.deploy>) => {
    home.deploy(...deployment);
    await applyDeployment(home.context, name);
    const { state, health, asleepSince, endpoint } = await home.stored(name);
    return [state, health, asleepSince !== undefined, endpoint !== undefined];
  };

  test("an app stays RUNNING while it sleeps and wakes, and requests know that it does", async () => {
    const name = "com.example.sleeper";
    const id = await running(name);
    assert.deepEqual(await report(name, id, 1, "ASLEEP"), ["RUNNING", "HEALTHY", true, false]);
    const live = await home.context.apps.current(name);
    assert.deepEqual(live && upstreamOf(live), { unavailable: "asleep", isAsleep: true });
    assert.deepEqual(await report(name, id, 1, "STARTING"), ["RUNNING", "HEALTHY", true, false]);
    assert.deepEqual(await report(name, id, 1, "HEALTHY"), ["RUNNING", "HEALTHY", false, true]);
    const changes = (await home.eventsOf(name)).map(({ type }) => type);
    assert.deepEqual(changes.slice(-2), ["app.routing_changed", "app.routing_changed"]);
  });

  test("a start that fails makes the app UNHEALTHY, and it is no longer asleep", async () => {
    const name = "com.example.broken";
    const id = await running(name);
    await report(name, id, 1, "ASLEEP");
    const lastError = { code: "UPSTREAM_ERROR", message: "the app exited" } as const;
    assert.deepEqual(await report(name, id, 1, "RESTARTING", { lastError }), ["UNHEALTHY", "UNHEALTHY", false, false]);
    assert.deepEqual(await report(name, id, 1, "STARTING"), ["UNHEALTHY", "UNHEALTHY", false, false]);
  });

  test("a sleep that was missed is found, once", async () => {
    const name = "com.example.missed";
    home.deploy(await running(name), 1, "ASLEEP");
    await applyDeployments(home.context);
    const { asleepSince, rowVersion } = await home.stored(name);
    assert.ok(asleepSince);
    await applyDeployments(home.context);
    assert.equal((await home.stored(name)).rowVersion, rowVersion);
  });

  test("a replica that still sends requests to the app is waited for", async () => {
    const id = await running("com.example.reported");
    const drains = new SqlDrains(home.database);
    const replica = "0199aaaa-0000-7000-8000-00000000aaaa";
    await drains.beat(replica);
    const reads = createMarketplaceReads(home.database);
    const state = async (report: { readonly exchanges: number; readonly isAsleep: boolean }) => {
      await drains.report(replica, [{ appId: id, generation: 1, ...report }]);
      return [await reads.drainState(id, 1), await reads.drainState(id, 1, "asleep")];
    };
    const none = { waiting: 0, exchanges: 0 };
    assert.deepEqual(await state({ exchanges: 0, isAsleep: false }), [none, { waiting: 1, exchanges: 0 }]);
    assert.deepEqual((await state({ exchanges: 2, isAsleep: true }))[1], { waiting: 0, exchanges: 2 });
    assert.deepEqual((await state({ exchanges: 0, isAsleep: true }))[1], none);
    await drains.leave(replica);
  });
});
