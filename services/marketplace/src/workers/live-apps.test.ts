import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type AppManifest, AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { silentLogger } from "@appserver/kernel";
import type { EventEnvelope } from "@appserver/kernel/ports";
import { FakeClock } from "@appserver/testing/kit";
import { create } from "@bufbuild/protobuf";
import type { AppRecord } from "../domain/app.ts";
import { isServed } from "../domain/app-state.ts";
import type { AppSource, ReleaseRef, StoredApp } from "../ports.ts";
import { type AppChangeNotice, LiveApps } from "./live-apps.ts";

const record = (name: string, changes: Partial<AppRecord> = {}): AppRecord =>
  ({
    id: `id of ${name}`,
    name,
    version: "1.0.0",
    state: "RUNNING",
    manifestDigest: `${name} ${changes.version ?? "1.0.0"}`,
    certificateFingerprint: "c",
    registeredAt: new Date(1_000),
    installedAt: new Date(1_000),
    rowVersion: 1,
    ...changes,
  }) as AppRecord;

/** The tables of the marketplace, in memory. `reads` names what was read, `hold` delays the reads of apps. */
class Tables implements AppSource {
  readonly rows = new Map<string, AppRecord>();
  readonly reads: string[] = [];
  hold: Promise<void> | undefined;
  outage = false;

  put(...apps: readonly AppRecord[]): void {
    for (const app of apps) this.rows.set(app.name, app);
  }

  async apps(names?: readonly string[]): Promise<readonly StoredApp[]> {
    this.#read(names?.join() ?? "every app");
    const found = [...this.rows.values()].filter(({ name }) => names === undefined || names.includes(name));
    await this.hold;
    return found.map((app) => ({ app, certificate: new Uint8Array() }));
  }

  async manifestsOf(releases: readonly ReleaseRef[]): Promise<ReadonlyMap<string, () => AppManifest>> {
    this.#read(`${releases.length} manifests`);
    return new Map(
      releases.map(({ manifestDigest }) => [
        manifestDigest,
        () =>
          manifestDigest.startsWith("com.example.damaged")
            ? assert.fail("a damaged manifest")
            : create(AppManifestSchema, { version: manifestDigest.split(" ")[1] ?? "" }),
      ]),
    );
  }

  async nameOf(id: string): Promise<string | undefined> {
    return [...this.rows.values()].find((app) => app.id === id)?.name;
  }

  async summary() {
    this.#read("summary");
    const rows = [...this.rows.values()];
    const rowVersions = rows.reduce((sum, { rowVersion }) => sum + rowVersion, 0);
    return { count: rows.length, rowVersions, newestAt: Math.max(0, ...rows.map((app) => app.registeredAt.getTime())) };
  }

  #read(what: string): void {
    if (this.outage) throw new Error("no database");
    this.reads.push(what);
  }
}

function scene() {
  const [tables, clock] = [new Tables(), new FakeClock()];
  const broker = {
    publish: (_: EventEnvelope): unknown => undefined,
    observe: async (_: readonly string[], handler: (event: EventEnvelope) => unknown) => {
      broker.publish = handler;
      return { close: async () => {} };
    },
  };
  const apps = new LiveApps({ source: tables, broker, clock, logger: silentLogger });
  const changes: AppChangeNotice[] = [];
  apps.onChange((change) => changes.push(change));
  const seen = () =>
    changes.splice(0).map(({ name, before, now }) => `${name} ${before?.app.rowVersion ?? "-"}→${now?.app.rowVersion ?? "-"}`);
  return { tables, broker, clock, apps, seen };
}

describe("the registry of apps", () => {
  test("reads all apps with two statements, and later only the manifests that changed", async () => {
    const { tables, apps, seen } = scene();
    tables.put(record("a"), record("b"));
    await apps.refresh();
    assert.deepEqual(tables.reads.splice(0), ["every app", "2 manifests"]);
    assert.deepEqual(seen(), ["a -→1", "b -→1"]);
    tables.put(record("a", { rowVersion: 2 }), record("b", { rowVersion: 2, version: "2.0.0" }));
    await apps.refresh();
    assert.deepEqual(tables.reads, ["every app", "1 manifests"]);
    assert.deepEqual(seen(), ["a 1→2", "b 1→2"]);
    assert.deepEqual([apps.get("b")?.manifest.version, apps.byId("id of a")?.app.rowVersion], ["2.0.0", 2]);
  });

  test("a process sees its own changes at once and without a read, unless the manifest is new", async () => {
    const { tables, apps, seen } = scene();
    tables.put(record("a"));
    await apps.refresh();
    tables.reads.length = 0;
    await apps.stored(record("a", { rowVersion: 2, state: "UNHEALTHY" }));
    assert.deepEqual([apps.get("a")?.app.state, tables.reads], ["UNHEALTHY", []]);
    tables.put(record("a", { rowVersion: 3, manifestDigest: "b" }), record("n"));
    await apps.stored(record("a", { rowVersion: 3, manifestDigest: "b" }));
    await apps.stored(record("n"));
    assert.deepEqual(tables.reads, ["a", "1 manifests", "n", "1 manifests"]);
    assert.deepEqual(seen(), ["a -→1", "a 1→2", "a 2→3", "n -→1"]);
  });

  test("an app whose stored manifest is damaged does not keep the others from being read", async () => {
    const { tables, apps, clock } = scene();
    tables.put(record("com.example.damaged"), record("z"));
    await apps.start();
    assert.deepEqual([apps.get("com.example.damaged"), apps.get("z")?.app.rowVersion], [undefined, 1]);
    tables.put(record("z", { rowVersion: 2 }), record("odd"));
    await clock.advance(5_000);
    assert.equal(apps.get("z")?.app.rowVersion, 2);
    const view = apps.view(
      () => true,
      ({ app: { name } }) => (name === "odd" ? assert.fail("it has no such form") : name),
    );
    assert.deepEqual(view.all(), ["z"]);
    await apps.stop();
  });

  test("an earlier record does not replace a later one, and a read does not remove what came during it", async () => {
    const { tables, apps } = scene();
    tables.put(record("a"));
    await apps.refresh();
    const { promise, resolve } = Promise.withResolvers<void>();
    tables.hold = promise;
    const reading = apps.refresh();
    await new Promise((done) => setImmediate(done));
    tables.hold = undefined;
    await apps.stored(record("a", { rowVersion: 2 }));
    tables.put(record("a", { rowVersion: 2 }), record("new"));
    const storing = apps.stored(record("new"));
    resolve();
    await Promise.all([reading, storing]);
    assert.deepEqual([apps.get("a")?.app.rowVersion, apps.get("new")?.app.rowVersion], [2, 1]);
    tables.rows.delete("a");
    await apps.refresh();
    assert.deepEqual([apps.get("a"), apps.byId("id of a")], [undefined, undefined]);
  });

  test("what is in memory stays while the database is unreachable; a current read rejects", async () => {
    const { tables, clock, apps } = scene();
    tables.put(record("a"));
    await apps.refresh();
    tables.outage = true;
    await clock.advance(10_000);
    await assert.rejects(apps.current("a"), /no database/);
    await assert.rejects(apps.refreshIfChanged(), /no database/);
    await apps.stored(record("b"));
    assert.deepEqual([apps.get("a")?.app.name, apps.ageMs()], ["a", 10_000]);
    tables.outage = false;
    await apps.refreshIfChanged();
    assert.equal(apps.ageMs(), 0);
  });

  test("a listener that throws does not keep others from hearing", async () => {
    const { tables, apps } = scene();
    const heard: string[] = [];
    apps.onChange(() => assert.fail("a broken listener"));
    const stop = apps.onChange(({ name }) => heard.push(name));
    tables.put(record("a"));
    await apps.refresh();
    stop();
    await apps.stored(record("a", { rowVersion: 2 }));
    assert.deepEqual(heard, ["a"]);
  });
});

describe("a view of the registry", () => {
  test("has the apps of its rule, each formed once for each change", async () => {
    const { tables, apps } = scene();
    let formed = 0;
    const view = apps.view(isServed, ({ app }) => ({ name: app.name, number: ++formed }));
    tables.put(record("a"), record("b", { state: "REGISTERED" }));
    await apps.refresh();
    assert.deepEqual(view.all(), [{ name: "a", number: 1 }]);
    assert.equal(view.get("a"), view.get("a"));
    await apps.stored(record("a", { rowVersion: 2 }));
    assert.deepEqual(view.get("a"), { name: "a", number: 2 });
  });

  test("reads an app that another process has just installed, and a made-up name once a second", async () => {
    const { tables, clock, apps } = scene();
    const view = apps.view(isServed, ({ app }) => app.name);
    tables.put(record("a", { state: "REGISTERED" }));
    await apps.refresh();
    tables.put(record("a", { rowVersion: 2 }));
    tables.reads.length = 0;
    assert.deepEqual(await Promise.all([view.get("a"), view.get("made-up")]), ["a", undefined]);
    assert.deepEqual(tables.reads.splice(0), ["a,made-up"]);
    assert.equal(view.get("made-up"), undefined);
    await clock.advance(1_000);
    assert.equal(await view.get("made-up"), undefined);
    assert.deepEqual(tables.reads, ["made-up"]);
    tables.outage = true;
    await clock.advance(1_000);
    await assert.rejects(async () => view.get("made-up"), /no database/);
    tables.outage = false;
    assert.equal(await view.get("made-up"), undefined, "a failed read is repeated at once");
    for (let n = 0; n < 10_000; n += 1) await view.get(`made-up-${n}`);
    tables.reads.length = 0;
    assert.equal(await view.get("made-up"), undefined);
    assert.deepEqual(tables.reads, ["made-up"], "the oldest name was evicted");
  });
});

test("the registry reads changed apps at their events, and within seconds when an event was lost", async () => {
  const { tables, broker, clock, apps } = scene();
  tables.put(record("a"));
  await apps.start();
  assert.equal(apps.get("a")?.app.rowVersion, 1);
  tables.put(record("a", { rowVersion: 2 }));
  broker.publish({ body: { AppName: "a" } } as unknown as EventEnvelope);
  broker.publish({ body: {} } as unknown as EventEnvelope);
  await apps.refresh("a");
  assert.equal(apps.get("a")?.app.rowVersion, 2);

  tables.put(record("a", { rowVersion: 3 }));
  await clock.advance(5_000);
  await apps.refresh("other");
  assert.equal(apps.get("a")?.app.rowVersion, 3);
  tables.reads.length = 0;
  await clock.advance(5_000);
  assert.deepEqual(tables.reads, ["summary"]);
  await apps.stop();
});
