import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { systemEventOf } from "@appserver/contracts/events";
import { type Caller, platformMigrations, SqlLeases, SqlOutbox, SystemClock, silentLogger, uuidv7 } from "@appserver/kernel";
import type { EventEnvelope } from "@appserver/kernel/ports";
import {
  callBy,
  createTestDatabase,
  eventually,
  recordsMigrations,
  rejectsWith,
  SqlEventHistory,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
} from "@appserver/testing/kit";
import {
  createIncidents,
  type DeadLetterHolder,
  type Incidents,
  incidentsMigrations,
  type MeasuredSpace,
  type WatchedApp,
} from "../src/index.ts";

const viewer: Caller = { kind: "user", id: "viewer", displayName: "Viewer" };
const notes: WatchedApp = {
  id: uuidv7(),
  name: "com.example.notes",
  version: "1.0.0",
  state: "RUNNING",
  isEnabled: true,
  problem: undefined,
};

/** The platform that the rules look at. */
class World {
  app: WatchedApp | undefined = notes;
  certificateDays = 60;
  disk: MeasuredSpace = { name: "/data", usedBytes: 50, limitBytes: 100 };
  letters: readonly DeadLetterHolder[] = [];
  isMeasurable = true;
  looks = 0;
}

describe("incidents", () => {
  const clock = new SystemClock();
  let server: TestPostgres;
  let test: TestDatabase;
  let world: World;
  let history: SqlEventHistory;
  let replicas: Incidents[];

  before(async () => {
    server = await startTestPostgres();
  });

  after(() => server.stop());

  beforeEach(async () => {
    test = await createTestDatabase(server);
    await test.database.migrate([...platformMigrations, ...recordsMigrations, ...incidentsMigrations]);
    history = new SqlEventHistory({ database: test.database, clock, present: systemEventOf });
    world = new World();
    replicas = [];
    for (const holder of ["one", "two"]) await start(holder);
  });

  afterEach(async () => {
    for (const replica of replicas) await replica.stop?.();
    await test.stop();
  });

  async function start(holder: string): Promise<void> {
    const { database } = test;
    const incidents = createIncidents({
      database,
      outbox: new SqlOutbox(),
      leases: new SqlLeases({ database, holder }),
      permissions: { require: async () => {}, allowed: async (caller: Caller) => caller === viewer } as never,
      events: history,
      observed: {
        apps: () => (world.app ? [world.app] : []),
        certificates: async () => [
          { name: "apps.example.com", endsAt: new Date(clock.now() + world.certificateDays * 86_400_000) },
        ],
        disks: async () => {
          world.looks += 1;
          if (!world.isMeasurable) throw new Error("the disk cannot be read");
          return [world.disk];
        },
        databases: async () => [],
        deadLetters: async () => world.letters,
      },
      intervalMs: 20,
      clock,
      logger: silentLogger,
      source: "/test",
    });
    await incidents.start?.();
    replicas.push(incidents);
  }

  /** Returns the events about incidents in the order of their transactions. */
  async function announced(): Promise<readonly string[]> {
    const { rows } = await test.database.query<{ event: EventEnvelope }>("select event from platform.outbox order by id");
    return rows.map(
      ({ event: { type, subject, body } }) => `${type} ${String(body["kind"])} ${subject}: ${String(body["message"])}`,
    );
  }

  async function list(isOpen?: boolean) {
    const [replica = assert.fail()] = replicas;
    const { edges } = await replica.resolvers.Query.incidents(
      undefined,
      isOpen === undefined ? {} : { isOpen },
      callBy(viewer),
    );
    return edges.map(({ node }) => node);
  }

  const until = (count: number) => eventually(announced, ({ length }) => length >= count);

  /** Waits until every rule was applied to the world as it is now. */
  async function looked(): Promise<void> {
    const before = world.looks;
    await eventually(
      async () => world.looks,
      (looks) => looks >= before + 4,
    );
  }

  async function publish(type: string, subject: string, body: Readonly<Record<string, unknown>>): Promise<void> {
    const event: EventEnvelope = { id: uuidv7(), type, source: "/test", subject, time: new Date().toISOString(), body };
    await test.database.transaction((tx) => history.append(tx, [event]));
  }

  it("an app that is down is one incident, with one event when it begins and one when it is over, on two replicas", async () => {
    await looked();
    world.app = { ...notes, state: "FAILED", problem: "it ended 5 times" };
    await until(1);
    await looked();
    const [incident = assert.fail()] = await list(true);
    assert.deepEqual([incident.kind, incident.appName, incident.closedAt], ["APP_DOWN", notes.name, undefined]);
    // Installing it again does not end the incident.
    world.app = { ...notes, state: "INSTALLING" };
    await looked();
    world.app = notes;
    await until(2);
    await looked();
    assert.deepEqual(await announced(), [
      "incident.opened APP_DOWN com.example.notes: com.example.notes is down: it ended 5 times",
      "incident.closed APP_DOWN com.example.notes: com.example.notes runs again",
    ]);
    assert.deepEqual([(await list(true)).length, (await list(false)).length], [0, 1]);
  });

  it("an app that is unhealthy is an incident once it has lasted, and none if it recovers before", async () => {
    world.app = { ...notes, state: "UNHEALTHY" };
    const noticed = () => test.database.query("select 1 from incidents.incidents");
    await eventually(noticed, ({ count }) => count === 1);
    assert.deepEqual([await announced(), await list()], [[], []]);
    world.app = notes;
    await eventually(noticed, ({ count }) => count === 0);
    world.app = { ...notes, state: "UNHEALTHY" };
    await eventually(noticed, ({ count }) => count === 1);
    await test.database.query("update incidents.incidents set noticed_at = now() - interval '121 seconds'");
    await until(1);
    world.app = { ...notes, state: "UNHEALTHY", isEnabled: false };
    assert.match((await until(2))[1] ?? "", /^incident\.closed .* is not wanted any more/);
  });

  it("a disk is nearly full from 90 % on until it is under 85 %, and what cannot be measured changes nothing", async () => {
    world.disk = { ...world.disk, usedBytes: 91 };
    await until(1);
    world.disk = { ...world.disk, usedBytes: 87 };
    await looked();
    world.isMeasurable = false;
    await looked();
    assert.equal((await announced()).length, 1);
    world.isMeasurable = true;
    world.disk = { ...world.disk, usedBytes: 84 };
    assert.deepEqual(await until(2), [
      "incident.opened DISK_FULL appserver: the disk of /data is nearly full: 91 % are used",
      "incident.closed DISK_FULL appserver: the disk of /data has room again",
    ]);
  });

  it("certificates that end soon, and dead letters, are incidents until they are not", async () => {
    world.certificateDays = 13;
    world.letters = [{ name: "operations", isApp: false }];
    await until(2);
    world.certificateDays = 90;
    world.letters = [];
    const events = await until(4);
    assert.deepEqual(events.map((event) => event.split(":")[0]).toSorted(), [
      "incident.closed CERTIFICATE_EXPIRES appserver",
      "incident.closed DEAD_LETTERS appserver",
      "incident.opened CERTIFICATE_EXPIRES appserver",
      "incident.opened DEAD_LETTERS appserver",
    ]);
  });

  it("a failed backup lasts until one is complete, and an upgrade that was rolled back is over at once", async () => {
    await looked();
    await publish("backup.failed", "appserver", { error: "no space left" });
    await publish("backup.failed", "appserver", { error: "no space left" });
    await publish("app.rolled_back", notes.name, {
      isAutomatic: true,
      fromVersion: "2.0.0",
      toVersion: "1.0.0",
      reason: "crashed",
    });
    await publish("app.rolled_back", notes.name, { isAutomatic: false, fromVersion: "1.0.0", toVersion: "0.9.0" });
    await until(2);
    await publish("backup.completed", "appserver", {});
    await until(3);
    await looked();
    assert.deepEqual(await announced(), [
      "incident.opened BACKUP_FAILED appserver: a backup of the platform failed: no space left",
      "incident.opened UPGRADE_ROLLED_BACK com.example.notes: com.example.notes stays at version 1.0.0, because 2.0.0 did not start: crashed",
      "incident.closed BACKUP_FAILED appserver: a backup of the platform is complete",
    ]);
  });

  it("the list has those that last first, in pages, and only for callers who may see events", async () => {
    world.disk = { ...world.disk, usedBytes: 95 };
    await until(1);
    await publish("app.rolled_back", notes.name, { isAutomatic: true, fromVersion: "2.0.0", toVersion: "1.0.0", reason: "" });
    await until(2);
    const [replica = assert.fail()] = replicas;
    const { incidents } = replica.resolvers.Query;
    const first = await incidents(undefined, { first: 1 }, callBy(viewer));
    const { endCursor } = first.pageInfo;
    const second = await incidents(undefined, { first: 1, after: endCursor ?? null }, callBy(viewer));
    const kinds = [first, second].flatMap(({ edges }) => edges.map(({ node }) => node.kind));
    assert.deepEqual([kinds, await second.count()], [["DISK_FULL", "UPGRADE_ROLLED_BACK"], 2]);
    const other: Caller = { kind: "user", id: "other", displayName: "Other" };
    await assert.rejects(incidents(undefined, {}, callBy(other)), rejectsWith("PERMISSION_DENIED"));
  });
});
