import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { hooksMigrations } from "@appserver/hooks";
import { platformMigrations } from "@appserver/kernel";
import { createPlatformClient, type PlatformClient, triggerHook } from "@appserver/sdk";
import {
  createTestDatabase,
  eventually,
  freezePostgres,
  killPostgres,
  scaled,
  startOwnPostgres,
  type TestDatabase,
} from "@appserver/testing/kit";
import { healthyApps, hookName, type Line, poisonedApp, pushedApp, streamingApps, stuckApp } from "./hooks-apps.ts";
import { firstSeen, percentile, readLines } from "./hooks-lines.ts";
import { KillableProcess } from "./killable-process.ts";
import { type Chance, chance, randomSeed } from "./random.ts";
import { quietPort } from "./server-process.ts";

/** Deliveries to the healthy subscribers together. Those to the other two are additional. */
const deliveries = scaled(100_000);
const triggers = deliveries / healthyApps.length;
const producers = 40;
const kills = scaled(20, 6);
const replicas = 2;
/** It takes four minutes on an idle machine. */
const patienceMs = 500_000;
/** After the last kill: single hooks while all deliveries to the poisoned and the stuck subscriber are open. */
const calmTriggers = 100;
const seed = Number(process.env["APPSERVER_FAULT_SEED"] ?? randomSeed());
const script = (name: string): string => join(import.meta.dirname, name);

interface Accepted {
  readonly eventId: string;
  readonly key: string | undefined;
  readonly number: number;
}

test(`${deliveries} hook deliveries while subscribers, replicas and PostgreSQL are killed -9 or frozen ${kills} times`, async (t) => {
  t.diagnostic(`APPSERVER_FAULT_SEED=${seed}`);
  const folder = mkdtempSync(join(tmpdir(), "appserver-faults-hooks-"));
  const postgres = await startOwnPostgres();
  const home = await createTestDatabase(postgres);
  const processes: KillableProcess[] = [];
  const over = new AbortController();
  t.after(async () => {
    over.abort();
    for (const process of processes) await process.kill();
    await home.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true });
  });
  await home.database.migrate([...platformMigrations, ...hooksMigrations]);

  const ports = await Promise.all(Array.from({ length: replicas }, quietPort));
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const pushPort = String(await quietPort());
  const connection = JSON.stringify(home.connection);
  const servers = ports.map(
    (port) => new KillableProcess(script("hooks-replica-process.ts"), [String(port), connection, pushPort]),
  );
  processes.push(...servers);
  for (const server of servers) await server.startAndWait();
  const keyPath = join(folder, "key.pem");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(keyPath, privateKey.export({ type: "pkcs8", format: "pem" }));
  const fileOf = (app: string): string => join(folder, app);
  const subscribers = [...streamingApps, poisonedApp, stuckApp].map(
    (app) => new KillableProcess(script("hooks-subscriber-process.ts"), [app, fileOf(app), keyPath, ...urls]),
  );
  const pushArguments = [pushedApp, fileOf(pushedApp), keyPath, pushPort, urls[0] ?? ""];
  const backend = new KillableProcess(script("hooks-push-process.ts"), pushArguments);
  processes.push(...subscribers, backend);
  for (const subscriber of subscribers) subscriber.start();
  await backend.startAndWait();
  await untilSubscribed(home);

  const startedAt = performance.now();
  const producing = produce(urls, over.signal);
  const figures = { seconds: 0, replicaKills: 0, subscriberKills: 0, databaseFaults: 0 };
  const killing = killAtRandom(home, { servers, subscribers, backend }, chance(seed), figures, startedAt);
  const accepted = await producing;
  await untilDelivered(home, startedAt);
  await killing;
  figures.seconds = Math.round((performance.now() - startedAt) / 1000);

  const lines = new Map(healthyApps.map((app) => [app, readLines(fileOf(app))]));
  for (const [app, own] of lines) checkSubscriber(app, own, accepted);
  const received = [...lines.values()].reduce((sum, own) => sum + own.length, 0);
  const distinct = [...lines.values()].reduce((sum, own) => sum + new Set(own.map(({ eventId }) => eventId)).size, 0);
  t.diagnostic(JSON.stringify({ ...figures, accepted: accepted.length, received, duplicates: received - distinct }));
  const { replicaKills, subscriberKills, databaseFaults } = figures;
  assert.deepEqual([replicaKills + subscriberKills + databaseFaults, distinct >= deliveries], [kills, true]);
  await checkStored(home, accepted);

  const calm = await calmLatencies(urls[0] ?? "", fileOf);
  t.diagnostic(
    `while one subscriber is poisoned and one stuck: p50 ${percentile(calm, 0.5)} ms, p99 ${percentile(calm, 0.99)} ms`,
  );
  assert.ok(percentile(calm, 0.99) < 2_000, "a failing subscriber does not slow the others");
});

async function untilSubscribed({ database }: TestDatabase): Promise<void> {
  const streaming = streamingApps.length + 2;
  for (;;) {
    const streams = await database.query("select 1 from hooks.streams");
    const subscriptions = await database.query("select 1 from hooks.subscriptions");
    if (streams.count === replicas * streaming && subscriptions.count === streaming + 1) return;
    await sleep(50);
  }
}

/** Each producer triggers its numbers in order, every second one with its key, and repeats each until it is accepted. */
async function produce(urls: readonly string[], over: AbortSignal): Promise<readonly Accepted[]> {
  const accepted: Accepted[] = [];
  const work = async (producer: number): Promise<void> => {
    let client: PlatformClient | undefined;
    for (let number = 0, failures = 0; number < triggers / producers && !over.aborted; ) {
      client ??= createPlatformClient({ grpcUrl: urls[(producer + failures) % urls.length] ?? "", timeoutMs: 5_000 });
      const key = number % 2 === 0 ? `key-${producer}` : undefined;
      try {
        const options = key === undefined ? {} : { orderingKey: key };
        const { eventId } = await triggerHook(client, hookName, { number }, options);
        accepted.push({ eventId, key, number });
        number += 1;
      } catch {
        // The replica was killed, so it is unknown whether the hook was stored. It is triggered again at another replica.
        failures += 1;
        client = undefined;
        await sleep(100);
      }
    }
  };
  await Promise.all(Array.from({ length: producers }, (_, producer) => work(producer)));
  return accepted;
}

/** Spread over the deliveries, so that each kill interrupts work. */
async function killAtRandom(
  home: TestDatabase,
  { servers, subscribers, backend }: Victims,
  random: Chance,
  figures: { replicaKills: number; subscriberKills: number; databaseFaults: number },
  startedAt: number,
): Promise<void> {
  for (let kill = 0; kill < kills; kill += 1) {
    const from = (kill / (kills + 1)) * deliveries;
    const at = from + (0.2 + 0.8 * random.next()) * (deliveries / (kills + 1));
    while ((await delivered(home).catch(() => 0)) < at) await patiently(home, startedAt);
    if (kill % 6 === 1 || kill % 6 === 4) {
      await faultDatabase(home, kill % 6 === 1 ? "kill" : "freeze");
      figures.databaseFaults += 1;
      continue;
    }
    if (kill === 2) {
      // Only once, because after a second failed POST the same hook would wait for five minutes.
      await backend.kill();
      await backend.startAndWait();
      figures.subscriberKills += 1;
      continue;
    }
    const isReplica = random.next() < 0.5;
    const candidates = isReplica ? servers : subscribers;
    const victim = candidates[Math.floor(random.next() * candidates.length)];
    if (!victim) continue;
    await victim.kill();
    await sleep(random.next() * 500);
    if (isReplica) await victim.startAndWait();
    else victim.start();
    figures[isReplica ? "replicaKills" : "subscriberKills"] += 1;
  }
}

interface Victims {
  readonly servers: readonly KillableProcess[];
  readonly subscribers: readonly KillableProcess[];
  readonly backend: KillableProcess;
}

/** Resolves once it responds again. */
async function faultDatabase({ database }: TestDatabase, fault: "kill" | "freeze"): Promise<void> {
  const { rows } = await database.query<{ data_directory: string }>("SHOW data_directory");
  const [postmaster] = readFileSync(join(rows[0]?.data_directory ?? "", "postmaster.pid"), "utf8").split("\n");
  if (fault === "kill") killPostgres(Number(postmaster));
  else await freezePostgres(Number(postmaster), 3_000);
  await database.whenReachable();
}

async function delivered({ database }: TestDatabase): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    "select count(*) from hooks.deliveries where status = 'DELIVERED' and app_name = any ($1)",
    [healthyApps],
  );
  return rows[0]?.count ?? 0;
}

/** While the database is down, the deliveries are not done. */
const unknown = { count: 1 };

async function untilDelivered(home: TestDatabase, startedAt: number): Promise<void> {
  for (;;) {
    const { count } = await home.database
      .query("select 1 from hooks.deliveries where due_at is not null and app_name = any ($1) limit 1", [healthyApps])
      .catch(() => unknown);
    if (count === 0) return;
    await patiently(home, startedAt);
  }
}

async function patiently({ database }: TestDatabase, startedAt: number): Promise<void> {
  await sleep(200);
  if (performance.now() - startedAt < patienceMs) return;
  const { rows } = await database.query("select app_name, status, count(*) from hooks.deliveries group by 1, 2 order by 1, 2");
  throw new Error(`not done after ${patienceMs} ms: ${JSON.stringify(rows)}`);
}

/** Asserts that every accepted hook was received, and that hooks with the same key were received in order. */
function checkSubscriber(app: string, lines: readonly Line[], accepted: readonly Accepted[]): void {
  const came = new Set(lines.map(({ eventId }) => eventId));
  const lost = accepted.filter(({ eventId }) => !came.has(eventId));
  assert.deepEqual(lost, [], `${app} got everything that was accepted`);
  for (const [key, numbers] of firstSeen(lines)) {
    const inOrder = [...numbers].sort((a, b) => a - b);
    assert.deepEqual(numbers, inOrder, `${app} got ${key} in order`);
  }
}

async function checkStored({ database }: TestDatabase, accepted: readonly Accepted[]): Promise<void> {
  const { rows: events } = await database.query<{ id: string }>("select id from hooks.events");
  const stored = new Set(events.map(({ id }) => id));
  assert.deepEqual(
    accepted.filter(({ eventId }) => !stored.has(eventId)),
    [],
    "every acknowledged hook is stored",
  );
  const { rows: published } = await database.query<{ id: string }>(
    "select event -> 'body' ->> 'hookId' as id from platform.outbox where event ->> 'type' = 'hook.triggered'",
  );
  assert.deepEqual(
    [published.length, new Set(published.map(({ id }) => id)).size],
    [stored.size, stored.size],
    "one event each",
  );
  const { rows } = await database.query<{ status: string; count: number }>(
    "select status, count(*) from hooks.deliveries where app_name = any ($1) group by status",
    [healthyApps],
  );
  assert.deepEqual(rows, [{ status: "DELIVERED", count: stored.size * healthyApps.length }], "one delivery each, all done");
}

/** Returns the times that single hooks take to reach the healthy subscribers. */
async function calmLatencies(grpcUrl: string, fileOf: (app: string) => string): Promise<readonly number[]> {
  const client = createPlatformClient({ grpcUrl });
  const ids = new Set<string>();
  for (let number = 0; number < calmTriggers; number += 1) {
    ids.add((await triggerHook(client, hookName, { number })).eventId);
    await sleep(20);
  }
  const received = () => healthyApps.flatMap((app) => readLines(fileOf(app)).filter(({ eventId }) => ids.has(eventId)));
  const isComplete = ({ length }: readonly Line[]) => length >= calmTriggers * healthyApps.length;
  const lines = await eventually(received, isComplete, { timeoutMs: 30_000, intervalMs: 100 });
  return lines.map(({ latencyMs }) => latencyMs);
}
