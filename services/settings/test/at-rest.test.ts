import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SettingDataType as T } from "@appserver/contracts/proto/appserver/v2/settings";
import type { AppError } from "@appserver/kernel";
import { callBy, SqlAuditLog } from "@appserver/testing/kit";
import type { EncryptionKey } from "../src/ports.ts";
import { type SettingsContext, valuesOf } from "../src/use-cases/context.ts";
import { readSetting, readSettings } from "../src/use-cases/read-settings.ts";
import { rotateKey } from "../src/use-cases/rotate-key.ts";
import { updateSettings } from "../src/use-cases/update-settings.ts";
import { definition } from "./definitions.ts";
import { newKey, reader, SettingsFixture, system } from "./fixture.ts";

const secret = (key: string) => definition(key, T.STRING, { sensitive: true });

describe("settings at rest", () => {
  let fixture: SettingsFixture;
  before(async () => {
    fixture = await SettingsFixture.start();
  });
  after(() => fixture.stop());
  const update = (appId: string, values: unknown, context: SettingsContext = fixture.context) =>
    updateSettings(context, { appId, values }, callBy(system));
  const swap = (left: readonly [string, string], right: readonly [string, string]) =>
    fixture.home.database.query(
      `update settings.values v set value = other.value from settings.values other
       where (v.app_id, v.key, other.app_id, other.key) in (($1::uuid, $2, $3::uuid, $4), ($3::uuid, $4, $1::uuid, $2))`,
      [...left, ...right],
    );
  /** Returns the context of a process with these keys. */
  const processWith = (...keys: readonly EncryptionKey[]): SettingsContext => ({
    ...fixture.context,
    store: fixture.newStore(),
    vault: fixture.newVault(() => keys),
  });

  test("rows swapped between settings or between apps cannot be opened, and other rows can", async () => {
    const schema = [secret("one"), secret("two"), secret("three")];
    const [app, other] = [fixture.app(schema), fixture.app(schema)];
    for (const { id } of [app, other]) await update(id, { one: `1 ${id}`, two: `2 ${id}`, three: "3" });
    await swap([app.id, "one"], [app.id, "two"]);
    await swap([app.id, "three"], [other.id, "three"]);
    const view = await readSettings(fixture.context, app.id, callBy(system));
    assert.deepEqual(valuesOf(view), {});
    assert.deepEqual(
      view.conditions.map(({ type, reason }) => [type, reason]),
      [["SettingsReadable", "DecryptionFailed"]],
    );
    for (const key of ["one", "two", "three"]) assert.match(view.conditions[0]?.message ?? "", new RegExp(`value of ${key} `));
    assert.deepEqual(valuesOf(await readSettings(fixture.context, other.id, callBy(system))), {
      one: `1 ${other.id}`,
      two: `2 ${other.id}`,
    });
    await assert.rejects(readSetting(fixture.context, { appId: app.id, key: "one" }, callBy(system)), (error: AppError) => {
      assert.deepEqual([error.code, /cannot be decrypted/.test(error.message)], ["INVALID_STATE", true]);
      return true;
    });
  });

  test("a lost or changed key is reported for each value; other values are not affected, and values can be set again", async () => {
    const app = fixture.app([secret("token"), secret("other"), definition("plain", T.INT)]);
    await update(app.id, { token: "a", other: "b", plain: 1 });
    const lost = processWith(newKey("second"));
    const changed = processWith(newKey("first"));
    for (const [context, why] of [
      [lost, /the key first, which is not configured/],
      [changed, /is not the one of that name any more/],
    ] as const) {
      const view = await readSettings(context, app.id, callBy(system));
      assert.deepEqual(valuesOf(view), { plain: 1 });
      assert.match(view.conditions[0]?.message ?? "", why);
      assert.equal((await readSetting(context, { appId: app.id, key: "plain" }, callBy(system)))?.value, 1);
      assert.equal((await readSetting(context, { appId: app.id, key: "token" }, callBy(reader)))?.value, "********");
    }
    await update(app.id, { token: "new" }, lost);
    assert.deepEqual(valuesOf(await readSettings(lost, app.id, callBy(system))), { plain: 1, token: "new" });
    const report = await rotateKey(processWith(newKey("third")), { actor: "test" });
    assert.ok(
      report.unreadable.some(({ owner, name, problem }) => owner === app.id && name === "other" && /key first/.test(problem)),
    );
  });

  test("a running process loads a key that was added in front when it first needs it", async () => {
    const app = fixture.app(["a", "b", "c"].map(secret));
    const values = { a: "1", b: "2", c: "3" };
    const keys = [newKey("old")];
    let loads = 0;
    const source = () => {
      loads += 1;
      return keys;
    };
    const running = { ...fixture.context, vault: fixture.newVault(source) };
    await update(app.id, values, running);
    keys.unshift(newKey("new"));
    await rotateKey(processWith(...keys), { actor: "test" });
    assert.match((await fixture.stored(app))["a"] ?? "", /^v1:new:/);
    assert.deepEqual([valuesOf(await readSettings(running, app.id, callBy(system))), loads], [values, 2]);
    // A lost key is looked up once a second, not at every read.
    await rotateKey(processWith(newKey("gone"), ...keys), { actor: "test" });
    for (const _ of ["once", "again"]) assert.equal((await readSettings(running, app.id, callBy(system))).conditions.length, 1);
    assert.equal(loads, 3);
    await fixture.clock.advance(1_000);
    await readSettings(running, app.id, callBy(system));
    assert.equal(loads, 4);
  });

  test("10,000 values move to a new key during reads and writes: no read fails, nothing is lost", async (context) => {
    const keys = Array.from({ length: 500 }, (_, at) => `key-${at}`);
    const apps = Array.from({ length: 20 }, () => fixture.app(keys.map(secret)));
    const [old, next] = [newKey("before"), newKey("after")];
    const before = processWith(old);
    for (const app of apps) await update(app.id, Object.fromEntries(keys.map((key) => [key, `${app.id} ${key}`])), before);
    // As in a rolling restart: the server has both keys, and still encrypts with the old one.
    const server = processWith(old, next);
    const done = new AbortController();
    let [reads, writes] = [0, 0];
    const reading = Array.from({ length: 2 }, async (_, worker) => {
      for (let at = worker; !done.signal.aborted; at += 1) {
        const app = apps[at % apps.length];
        assert.ok(app);
        const view = await readSettings(server, app.id, callBy(system));
        assert.deepEqual(view.conditions, []);
        const values = valuesOf(view);
        for (const key of keys.slice(1)) assert.equal(values[key], `${app.id} ${key}`);
        reads += 1;
      }
    });
    const writing = (async () => {
      for (; !done.signal.aborted; writes += 1)
        await update(apps[writes % apps.length]?.id ?? "", { "key-0": `write ${writes}` }, server);
    })();
    const rotating = rotateKey(processWith(next, old), { actor: "user:admin", batchSize: 200 }).finally(() => done.abort());
    const [report] = await Promise.all([rotating, ...reading, writing]);
    context.diagnostic(`${report.rotated} values moved during ${reads} reads of 500 values and ${writes} writes`);
    assert.ok(reads > 0 && writes > 0);
    // Values that were written in between with the old key are moved by a second run.
    await rotateKey(processWith(next, old), { actor: "user:admin" });
    const only = processWith(next);
    for (const app of apps) {
      const view = await readSettings(only, app.id, callBy(system));
      assert.deepEqual([view.conditions, Object.keys(valuesOf(view)).length], [[], keys.length]);
    }
    const audit = new SqlAuditLog({ database: fixture.home.database, clock: fixture.clock });
    const [entry] = await audit.read({ target: "settings", limit: 1 });
    assert.partialDeepStrictEqual(entry, { actor: "user:admin", action: "settings.rotate_key", details: { keyId: "after" } });
  });

  test("an aborted rotation continues when it is run again", async () => {
    await fixture.home.database.query("delete from settings.values");
    const app = fixture.app(["a", "b", "c", "d"].map(secret));
    const [old, next] = [newKey("b1"), newKey("b2")];
    await update(app.id, { a: "1", b: "2", c: "3", d: "4" }, processWith(old));
    const stop = new AbortController();
    const onProgress = (rotated: number): void => {
      if (rotated >= 2) stop.abort(new Error("broken off"));
    };
    const broken = rotateKey(processWith(next, old), { actor: "test", batchSize: 1, signal: stop.signal, onProgress });
    await assert.rejects(broken, /broken off/);
    await rotateKey(processWith(next, old), { actor: "test" });
    assert.deepEqual(valuesOf(await readSettings(processWith(next), app.id, callBy(system))), {
      a: "1",
      b: "2",
      c: "3",
      d: "4",
    });
  });

  test("invalid keys are refused", async () => {
    const app = fixture.app([secret("token")]);
    await assert.rejects(update(app.id, { token: "a" }, processWith()), /no settings encryption key/);
    await assert.rejects(update(app.id, { token: "a" }, processWith({ id: "k", key: Buffer.alloc(16) })), /32 bytes/);
  });
});
