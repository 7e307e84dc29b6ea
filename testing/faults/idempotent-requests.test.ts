import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { scaled } from "@appserver/testing/kit";
import { ReplicaGroup, startProductionServices } from "@appserver/testing/kit/production";
import pg from "pg";
import { chance, seed } from "./random.ts";

const started = await startProductionServices();
const skip = "unavailable" in started ? started.unavailable : false;

const requests = scaled(632);
const kills = scaled(20);
const lanes = 4;
const skewMs = 121_000;
const lockMs = 13_000;
const hook = "app.keyed_fault";

/** What a request with a key got until its outcome was clear. */
interface Outcome {
  readonly eventId: string;
  readonly attempts: number;
  readonly isReplayed: boolean;
}

describe("requests with a key on two servers whose clocks are 242 s apart", { skip }, () => {
  if ("unavailable" in started) return;
  let folder: string;
  let group: ReplicaGroup;
  let database: pg.Client;
  const random = chance();

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "appserver-skew-"));
    group = await ReplicaGroup.start(started, 2, {
      environmentOf: async (number) => ({
        NODE_OPTIONS: `--import ${await skewedClock(folder, number === 0 ? -skewMs : skewMs)}`,
      }),
    });
    database = new pg.Client(started.connection);
    await database.connect();
  });
  after(async () => {
    await database?.end();
    await group?.stop();
    await started.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const send = async (server: number, key: string, number: number): Promise<Response | undefined> =>
    fetch(`${group.server(server).httpUrl}/api/v2/hooks/${hook}/trigger`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${group.adminToken}`,
        "idempotency-key": key,
      },
      body: JSON.stringify({ data: { key, number } }),
      signal: AbortSignal.timeout(20_000),
    }).catch(() => undefined);

  /** Repeats the request as docs/interface/rest.md#idempotency says, on either server. */
  const settled = async (key: string, number: number): Promise<Outcome> => {
    for (let attempts = 1; attempts < 300; attempts += 1) {
      const answer = await send(Math.floor(random.below(2)), key, number);
      const text = await answer?.text().catch(() => undefined);
      if (answer?.status === 200 && text !== undefined) {
        const { eventId } = JSON.parse(text) as { readonly eventId: string };
        return { eventId, attempts, isReplayed: answer.headers.has("idempotency-replayed") };
      }
      const isUnclear = answer === undefined || text === undefined || answer.status === 409 || answer.status >= 500;
      assert.ok(isUnclear, `${key}: ${answer?.status} ${text}`);
      await sleep(300);
    }
    return assert.fail(`${key} was not settled`);
  };
  const eventsOf = async (prefix: string): Promise<ReadonlyMap<string, readonly string[]>> => {
    const { rows } = await database.query<{ readonly id: string; readonly key: string }>(
      "select id, data::jsonb ->> 'key' as key from hooks.events where hook_name = $1 and starts_with(data::jsonb ->> 'key', $2)",
      [hook, prefix],
    );
    return new Map([...Map.groupBy(rows, ({ key }) => key)].map(([key, of]) => [key, of.map(({ id }) => id)]));
  };

  /** Keeps others from writing events. Returns what ends the lock. */
  const lockEvents = async (): Promise<() => Promise<void>> => {
    const locker = new pg.Client(started.connection);
    await locker.connect();
    await locker.query("begin; lock table hooks.events in share mode");
    return () => locker.end();
  };

  test("a request that is given up while its table is locked makes one event", async () => {
    const unlock = await lockEvents();
    const first = send(0, "locked", 1);
    const [answer] = await Promise.all([first, sleep(lockMs)]);
    assert.equal(answer?.status, 503);
    const during = await send(1, "locked", 1);
    assert.equal(during?.status, 409, "the outcome is not known yet");
    await unlock();
    const outcome = await settled("locked", 1);
    assert.deepEqual([...(await eventsOf("locked"))], [["locked", [outcome.eventId]]]);
    assert.ok(outcome.isReplayed);
  });

  test("a server that is killed between the work and its response: the next request returns the event within 11 s", async () => {
    const unlock = await lockEvents();
    const lost = send(0, "killed", 1);
    // The claim is stored, and the work waits for the table.
    await untilWaiting(database);
    // The work of the killed server is undone with its connection.
    await group.server(0).kill();
    await lost;
    await unlock();
    const startedAt = performance.now();
    for (let answer = await send(1, "killed", 1); answer?.status !== 200; answer = await send(1, "killed", 1)) await sleep(200);
    assert.ok(performance.now() - startedAt < 15_000);
    assert.equal((await eventsOf("killed")).get("killed")?.length, 1);
    group.server(0).start();
    await group.server(0).ready();
  });

  test(`${requests} requests under ${kills} kills and a locked table: each is done once`, async (t) => {
    t.diagnostic(`APPSERVER_FAULT_SEED=${seed}`);
    const outcomes = new Map<string, Outcome>();
    let next = 0;
    let isOver = false;
    const lane = async (): Promise<void> => {
      for (let number = next++; number < requests || !isOver; number = next++) {
        const key = `many-${number}`;
        outcomes.set(key, await settled(key, number));
      }
    };
    const running = Promise.all(Array.from({ length: lanes }, lane));
    running.catch(() => {});
    for (let kill = 0; kill < kills; kill += 1) {
      if (kill === Math.floor(kills / 2)) {
        const unlock = await lockEvents();
        await sleep(lockMs);
        await unlock();
      }
      await sleep(random.below(2_000));
      const server = group.server(kill);
      await server.kill();
      server.start();
      await server.ready();
    }
    isOver = true;
    await running;
    const events = await eventsOf("many-");
    const doubled = [...events].filter(([, ids]) => ids.length > 1);
    const lost = [...outcomes].filter(([key, { eventId }]) => events.get(key)?.[0] !== eventId);
    const replayed = [...outcomes.values()].filter(({ isReplayed }) => isReplayed).length;
    const repeated = [...outcomes.values()].filter(({ attempts }) => attempts > 1).length;
    t.diagnostic(`${outcomes.size} keys, ${repeated} repeated, ${replayed} of them replayed, ${events.size} events`);
    assert.deepEqual([doubled, lost, outcomes.size], [[], [], events.size]);
    assert.ok(outcomes.size >= requests);
  });
});

/** Writes a module that shifts the wall clock of the process that imports it. */
async function skewedClock(folder: string, offsetMs: number): Promise<string> {
  const path = join(folder, `clock${offsetMs}.mjs`);
  await writeFile(path, `const now = Date.now.bind(Date);\nDate.now = () => now() + (${offsetMs});\n`);
  return pathToFileURL(path).href;
}

async function untilWaiting(database: pg.Client): Promise<void> {
  for (;;) {
    const { rowCount } = await database.query(
      "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%hooks.events%'",
    );
    if (rowCount) return;
    await sleep(20);
  }
}
