import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { silentLogger } from "@appserver/kernel";
import { eventually, FakeClock, until } from "@appserver/testing/kit";
import type { SwitchTarget } from "../src/domain/app.ts";
import {
  createDrainReporter,
  createMarketplaceReads,
  type DrainReporter,
  type LiveApp,
  removeKilledReplicas,
  routedGeneration,
} from "../src/index.ts";
import type { AppChangeNotice } from "../src/workers/live-apps.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

let market: Awaited<ReturnType<typeof startMarketplace>>;
let appId: string;
const name = "com.example.notes";
const replicas: Replica[] = [];

before(async () => {
  market = await startMarketplace();
  appId = (await market.register(name)).app.id;
});
after(() => market.stop());
beforeEach(async () => {
  for (const { reporter } of replicas.splice(0)) await reporter.stop();
});

interface Replica {
  readonly reporter: DrainReporter;
  readonly clock: FakeClock;
  /** Makes the replica see the app in that generation, with exchanges on earlier ones. */
  see(generation: number, exchanges?: number): void;
  /** Changes the exchanges without an event. */
  run(exchanges: number): void;
}

async function replica(generation: number): Promise<Replica> {
  const clock = new FakeClock();
  let notify = (_: AppChangeNotice): void => {};
  let live: LiveApp | undefined;
  let state: { generation: number; exchanges: number; isAsleep: boolean } | undefined;
  const reporter = createDrainReporter({
    database: market.database,
    apps: {
      get: () => live,
      all: () => (live ? [live] : []),
      onChange: (listener) => {
        notify = listener;
        return () => {};
      },
    },
    routing: { drainState: () => state },
    clock,
    logger: silentLogger,
  });
  await reporter.start();
  const see = (seen: number, exchanges = 0): void => {
    const before = live;
    live = { app: { id: appId, name, generation: seen }, placement: { needsContainer: true } } as unknown as LiveApp;
    state = { generation: seen, exchanges, isAsleep: false };
    notify({ name, before, now: live });
  };
  const one: Replica = {
    reporter,
    clock,
    see,
    run: (exchanges) => {
      if (state) state = { ...state, exchanges };
    },
  };
  replicas.push(one);
  see(generation);
  return one;
}

const state = (generation: number) => createMarketplaceReads(market.database).drainState(appId, generation);

const becomes = (generation: number, waiting: number, exchanges: number) =>
  eventually(
    () => state(generation),
    (seen) => seen.waiting === waiting && seen.exchanges === exchanges,
  );

test("an earlier generation is free when each replica has reported a later one and has no exchange with it", async () => {
  assert.deepEqual(await state(2), { waiting: 0, exchanges: 0 });
  const [a, b] = [await replica(1), await replica(1)];
  await becomes(1, 0, 0);
  assert.deepEqual(await state(2), { waiting: 2, exchanges: 0 });
  a.see(2, 3);
  await becomes(2, 1, 3);
  b.see(2, 1);
  await becomes(2, 0, 4);
  a.run(0);
  a.reporter.report(name);
  await becomes(2, 0, 1);
  // A later generation includes what was waited for.
  b.see(3, 0);
  await becomes(2, 0, 0);
  assert.deepEqual(await state(3), { waiting: 1, exchanges: 0 });
});

test("the number of exchanges follows every 5 s without an event", async () => {
  const a = await replica(1);
  a.see(2, 3);
  await becomes(2, 0, 3);
  a.run(2);
  await a.clock.advance(5_000);
  await becomes(2, 0, 2);
});

test("a replica that stops, or is not seen for 60 s, is not waited for", async () => {
  const [a, b, c] = [await replica(1), await replica(2), await replica(1)];
  await becomes(2, 2, 0);
  await a.reporter.stop();
  await becomes(2, 1, 0);
  await silence("generation = 1");
  assert.deepEqual(await state(2), { waiting: 0, exchanges: 0 });
  await b.clock.advance(5_000);
  await until("the silent replica is removed", async () => (await count()) === 1);
  // It comes back, and reports again.
  await c.clock.advance(5_000);
  await becomes(2, 1, 0);
});

test("a replica that was killed is not waited for if the only process of the platform removes it at its start", async () => {
  await replica(1);
  await becomes(2, 1, 0);
  await removeKilledReplicas(market.database);
  assert.deepEqual(await state(2), { waiting: 0, exchanges: 0 });
});

test("a replica counts from its start, before it has read any app", async () => {
  const reporter = createDrainReporter({
    database: market.database,
    apps: { get: () => undefined, all: () => [], onChange: () => () => {} },
    routing: { drainState: () => undefined },
    clock: new FakeClock(),
    logger: silentLogger,
  });
  await reporter.start();
  assert.deepEqual(await state(1), { waiting: 1, exchanges: 0 });
  await reporter.stop();
  assert.deepEqual(await state(1), { waiting: 0, exchanges: 0 });
});

test("a switch that is taken back is reported", async () => {
  const a = await replica(1);
  a.see(2, 5);
  await becomes(2, 0, 5);
  a.see(1, 0);
  await becomes(2, 1, 0);
});

test("an app without an API is reported with the generation of its container, or of the container that replaces it", () => {
  assert.equal(routedGeneration({ generation: 3, target: undefined }), 3);
  assert.equal(
    routedGeneration({ generation: 3, target: { ...target, holdsRequests: undefined } as unknown as SwitchTarget }),
    3,
  );
  assert.equal(routedGeneration({ generation: 3, target }), 4);
});

const target = { generation: 4, strategy: "replace", holdsRequests: true } as SwitchTarget;

/** Makes the replicas with such a report look silent, as soon as there is one: a replica reports after it has seen an app. */
async function silence(condition: string): Promise<void> {
  const update = `update marketplace.replicas set seen_at = now() - interval '61 seconds'
     where id in (select replica from marketplace.drains where ${condition})`;
  await until("a replica is silent", async () => (await market.database.query(update)).count > 0);
}

async function count(): Promise<number> {
  return (await market.database.query("select id from marketplace.replicas")).count;
}
