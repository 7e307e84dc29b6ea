import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { silentLogger, uuidv7 } from "@appserver/kernel";
import { createTestDatabase, FakeClock, startTestPostgres, type TestDatabase, type TestPostgres } from "@appserver/testing/kit";
import { SqlUses } from "../src/adapters/sql-uses.ts";
import { sleepMigrations } from "../src/index.ts";
import type { SleepApp, Uses } from "../src/ports.ts";
import { IdleWatch } from "../src/workers/idle-watch.ts";

const minuteMs = 60_000;

/** Uses by a clock that the test moves. The statements are tested below. */
class ClockedUses implements Uses {
  readonly usedAt = new Map<string, number>();
  marks = 0;
  readonly #clock: FakeClock;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  async mark(appIds: readonly string[]): Promise<void> {
    this.marks += 1;
    for (const id of appIds) this.usedAt.set(id, this.#clock.now());
  }

  async idle(apps: Parameters<Uses["idle"]>[0]): Promise<readonly string[]> {
    const now = this.#clock.now();
    for (const { appId } of apps) if (!this.usedAt.has(appId)) this.usedAt.set(appId, now);
    return apps.flatMap(({ appId, idleMs }) => (now - (this.usedAt.get(appId) ?? now) > idleMs ? appId : []));
  }

  async forget(appId: string): Promise<void> {
    this.usedAt.delete(appId);
  }
}

interface SceneOptions {
  readonly sleepAfterMs?: number | undefined;
  readonly settings?: readonly (readonly [string, number | "never"])[];
}

function scene({ sleepAfterMs, settings = [] }: SceneOptions = { sleepAfterMs: 10 * minuteMs }) {
  const clock = new FakeClock();
  const uses = new ClockedUses(clock);
  const apps = new Map<string, SleepApp>();
  const used = new Set<string>();
  const due = new Set<string>();
  const busy = new Set<string>();
  const asked: string[] = [];
  const watch = new IdleWatch({
    apps: { all: () => [...apps.values()] },
    takeUsed: () => [...used],
    work: [
      {
        due: async (names) => names.filter((name) => due.has(name)),
        busy: async (names) => names.filter((name) => busy.has(name)),
      },
    ],
    settings: { all: async () => new Map(settings) },
    uses,
    sleepers: { sleep: async (id) => void asked.push(`sleep ${id}`), wake: async (id) => void asked.push(`wake ${id}`) },
    sleepAfterMs,
    clock,
    logger: silentLogger,
  });
  const put = (name: string, is: SleepApp["is"] = "awake", start = "1"): void =>
    void apps.set(name, { id: name, name, is, start });
  /** Looks once a second for the time. */
  const pass = async (ms: number): Promise<readonly string[]> => {
    for (let left = ms; left > 0; left -= 1_000) {
      await watch.look();
      await clock.advance(1_000);
    }
    return [...new Set(asked.splice(0))];
  };
  return { clock, uses, watch, put, pass, used, due, busy, asked };
}

describe("apps without requests", () => {
  test("an app sleeps after the time without a use, and never while it is used", async () => {
    const { put, pass, used } = scene();
    put("used");
    put("idle");
    used.add("used");
    assert.deepEqual(await pass(10 * minuteMs), []);
    assert.deepEqual(await pass(minuteMs), ["sleep idle"]);
    used.clear();
    assert.deepEqual(await pass(9 * minuteMs), ["sleep idle"]);
    assert.deepEqual(await pass(2 * minuteMs), ["sleep idle", "sleep used"]);
  });

  test("the setting of an app takes precedence over the option", async () => {
    const { put, pass, watch } = scene({ settings: [["short", minuteMs]] });
    await watch.readSettings();
    for (const name of ["short", "none"]) put(name);
    assert.deepEqual(await pass(30 * minuteMs), ["sleep short"]);
    const never = scene({ sleepAfterMs: minuteMs, settings: [["never", "never"]] });
    await never.watch.readSettings();
    for (const name of ["never", "other"]) never.put(name);
    assert.deepEqual(await never.pass(5 * minuteMs), ["sleep other"]);
  });

  test("a start, and work in progress, count as a use", async () => {
    const { put, pass, busy } = scene();
    put("a");
    await pass(8 * minuteMs);
    put("a", "awake", "2");
    assert.deepEqual(await pass(9 * minuteMs), []);
    busy.add("a");
    assert.deepEqual(await pass(30 * minuteMs), []);
    busy.clear();
    assert.deepEqual(await pass(11 * minuteMs), ["sleep a"]);
  });

  test("an app that sleeps is woken for its work; others are not asked about", async () => {
    const { put, watch, due, asked } = scene();
    put("asleep", "asleep");
    put("still", "asleep");
    put("awake");
    due.add("asleep").add("awake");
    await watch.wakeForWork();
    assert.deepEqual(asked, ["wake asleep"]);
  });

  test("an app in constant use is stored a few times in its time, not with every look", async () => {
    const { put, pass, used, uses } = scene();
    put("a");
    used.add("a");
    await pass(10 * minuteMs);
    assert.equal(uses.marks, 4);
  });
});

describe("stored uses", () => {
  let postgres: TestPostgres;
  let database: TestDatabase;
  before(async () => {
    postgres = await startTestPostgres();
    database = await createTestDatabase(postgres);
    await database.database.migrate(sleepMigrations);
  });
  after(async () => {
    await database?.stop();
    await postgres?.stop();
  });

  test("an app is idle once its time has passed; one that is not stored counts as used now", async () => {
    const uses = new SqlUses(database.database);
    const [used, unknown] = [uuidv7(), uuidv7()];
    await uses.mark([used]);
    const ask = (idleMs: number) => uses.idle([used, unknown].map((appId) => ({ appId, idleMs })));
    assert.deepEqual(await ask(60_000), []);
    await database.database.query("update sleep.uses set used_at = now() - interval '1 minute' where app_id = $1", [used]);
    assert.deepEqual(await ask(59_000), [used]);
    await uses.mark([used]);
    assert.deepEqual(await ask(59_000), []);
    await uses.forget(used);
    assert.equal((await database.database.query("select from sleep.uses where app_id = $1", [used])).count, 0);
  });
});
