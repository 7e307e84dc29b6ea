import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SettingDataType as T } from "@appserver/contracts/proto/appserver/v2/settings";
import { type AppError, uuidv7 } from "@appserver/kernel";
import { callBy, rejectsWith, SqlAuditLog } from "@appserver/testing/kit";
import { createAutoUpgrades, createImageStages, createReplicaCounts } from "../src/index.ts";
import { secretsSet, storedValues, valuesOf } from "../src/use-cases/context.ts";
import { deleteSettings, purgeSettings } from "../src/use-cases/delete-settings.ts";
import { faultyAmong } from "../src/use-cases/faulty-among.ts";
import { prepareSettings } from "../src/use-cases/prepare-settings.ts";
import { readSetting, readSettings } from "../src/use-cases/read-settings.ts";
import { updateSettings, validateSettings } from "../src/use-cases/update-settings.ts";
import { definition } from "./definitions.ts";
import { admin, asItself, nobody, reader, SettingsFixture, system, writer } from "./fixture.ts";

const schema = [
  definition("size", T.INT, { defaultValue: "10", validation: { min: 1, max: 100 } }),
  definition("name", T.STRING),
  definition("token", T.STRING, { sensitive: true, validation: { minLength: 4 } }),
];

describe("settings on PostgreSQL", () => {
  let fixture: SettingsFixture;
  before(async () => {
    fixture = await SettingsFixture.start();
  });
  after(() => fixture.stop());
  const update = (
    appId: string,
    values: unknown,
    { caller = system, ...more }: { caller?: typeof system; expectedVersion?: number } = {},
  ) => updateSettings(fixture.context, { appId, values, ...more }, callBy(caller));

  test("defaults apply until a value is stored; stored values are merged; null restores the default", async () => {
    const { id } = fixture.app(schema);
    const untouched = await readSettings(fixture.context, id, callBy(system));
    assert.deepEqual([valuesOf(untouched), untouched.version, untouched.updatedAt], [{ size: 10 }, 0, undefined]);
    const first = await update(id, { size: 20, name: "a" });
    assert.deepEqual([valuesOf(first), first.version, first.updatedBy], [{ size: 20, name: "a" }, 1, "system"]);
    const second = await update(id, { size: null });
    assert.deepEqual([valuesOf(second), second.version], [{ size: 10, name: "a" }, 2]);
    assert.deepEqual(valuesOf(await readSettings(fixture.context, id, callBy(system))), valuesOf(second));
  });

  test("apps whose settings have a problem are found together", async () => {
    const required = [definition("host", T.STRING_REQUIRED, { required: true })];
    const [complete, missing, none, earlier] = [required, required, [], schema].map((each) => fixture.app(each));
    assert.ok(complete && missing && none && earlier);
    await update(complete.id, { host: "a" });
    await update(earlier.id, { name: "kept" });
    const renamed = { ...earlier, definitions: [definition("other", T.STRING)] };
    assert.deepEqual(await faultyAmong(fixture.context, [complete, missing, none, earlier]), [missing.id]);
    assert.deepEqual(await faultyAmong(fixture.context, [renamed]), [earlier.id], "a stored value is not declared any more");
  });

  test("every value is returned exactly as it was set", async () => {
    const { id } = fixture.app([definition("any", T.JSON), definition("secret", T.JSON, { sensitive: true })]);
    for (const value of [{ a: [1, null, "\u0000"] }, "\ud800", "ä😀", 0.1, [], false, { ["__proto__"]: 1 }]) {
      await update(id, { any: value, secret: value });
      const { any, secret } = valuesOf(await readSettings(fixture.context, id, callBy(system)));
      assert.deepEqual([any, secret], [value, value]);
    }
  });

  test("if one value is invalid, nothing is written, and all violations are reported", async () => {
    const app = fixture.app(schema);
    await update(app.id, { name: "before" });
    await assert.rejects(update(app.id, { name: "after", size: 0, none: 1, token: "abc" }), (error: AppError) => {
      assert.equal(error.code, "INVALID_REQUEST");
      assert.deepEqual(
        error.violations.map(({ field }) => field),
        ["size", "none", "token"],
      );
      return true;
    });
    const view = await readSettings(fixture.context, app.id, callBy(system));
    assert.deepEqual([valuesOf(view)["name"], view.version, (await fixture.events(app)).length], ["before", 1, 1]);
    const values = { name: 1, size: 5, none: null };
    assert.deepEqual(
      (await validateSettings(fixture.context, { appId: app.id, values }, callBy(reader))).map(({ field, code }) => [
        field,
        code,
      ]),
      [
        ["name", "TYPE"],
        ["none", "UNKNOWN_KEY"],
      ],
    );
  });

  test("values, event and audit entry are one transaction; neither event nor entry contains a value", async () => {
    const app = fixture.app(schema);
    await update(app.id, { token: "s3cr3t-canary", name: "n4me-canary" }, { caller: admin });
    await update(app.id, { token: "s3cr3t-canary" }, { caller: admin });
    const events = await fixture.events(app);
    assert.equal(events.length, 1, "a merge that changes nothing writes nothing");
    assert.partialDeepStrictEqual(events[0], {
      type: "settings.updated",
      subject: app.name,
      actor: "user:admin",
      body: { AppName: app.name, app_id: app.id, version: "1.0.0", keys: ["name", "token"], actor: "user:admin" },
    });
    await deleteSettings(fixture.context, { appId: app.id }, callBy(admin));
    const audit = new SqlAuditLog({ database: fixture.home.database, clock: fixture.clock });
    const entries = await audit.read({ target: `app:${app.name}`, limit: 10 });
    assert.deepEqual(
      entries.map(({ actor, action, outcome, details }) => [actor, action, outcome, details]),
      [
        ["user:admin", "settings.delete", "success", { keys: ["name", "token"] }],
        ["user:admin", "settings.update", "success", { keys: ["name", "token"] }],
      ],
    );
    assert.ok(!JSON.stringify([entries, await fixture.events(app)]).includes("canary"));
  });

  test("secrets are encrypted at rest, plain for the app itself and for holders of settings:read_secrets, masked for others", async () => {
    const app = fixture.app(schema);
    await update(app.id, { token: "hunter22" });
    const { token = "" } = await fixture.stored(app);
    assert.match(token, /^v1:first:[\w-]{16}:[\w-]+$/);
    for (const caller of [admin, system, asItself(app)]) {
      assert.equal(
        (await readSetting(fixture.context, { appId: app.id, key: "token" }, callBy(caller)))?.value,
        "hunter22",
        caller.kind,
      );
    }
    const other = { kind: "app", id: uuidv7(), name: "com.example.other" } as const;
    for (const caller of [reader, other]) {
      const view = await readSettings(fixture.context, app.id, callBy(caller));
      assert.deepEqual([valuesOf(view)["token"], secretsSet(view)], ["********", ["token"]]);
    }
    await update(app.id, { name: "Ada" });
    // No secret leaves the platform with the values that are set, also for callers that may see secrets.
    for (const caller of [admin, system, reader])
      assert.deepEqual(storedValues(await readSettings(fixture.context, app.id, callBy(caller))), { name: "Ada" });
    const masked = await update(app.id, { token: "hunter23" }, { caller: writer });
    assert.equal(valuesOf(masked)["token"], "********");
  });

  test("a caller without the permission is refused and cannot find out whether the app exists", async () => {
    const app = fixture.app(schema);
    const anonymous = { kind: "anonymous" } as const;
    for (const id of [app.id, uuidv7(), "no id"]) {
      await assert.rejects(
        readSettings(fixture.context, id, callBy(nobody)),
        rejectsWith("PERMISSION_DENIED", /settings:read/),
      );
      await assert.rejects(
        readSettings(fixture.context, id, callBy(anonymous)),
        rejectsWith("AUTHENTICATION_REQUIRED", /session/),
      );
      await assert.rejects(update(id, {}, { caller: reader }), rejectsWith("PERMISSION_DENIED", /settings:write/));
      const deletion = deleteSettings(fixture.context, { appId: id }, callBy(reader));
      await assert.rejects(deletion, rejectsWith("PERMISSION_DENIED", /settings:write/));
    }
    const stranger = { kind: "app", id: uuidv7(), name: "com.example.stranger" } as const;
    await assert.rejects(
      readSettings(fixture.context, app.id, callBy(stranger)),
      rejectsWith("PERMISSION_DENIED", /settings:read/),
    );
    for (const id of [uuidv7(), "no id"])
      await assert.rejects(readSettings(fixture.context, id, callBy(system)), rejectsWith("NOT_FOUND", /no app/));
  });

  test("an app writes its own settings until its uninstallation begins", async () => {
    const app = fixture.app(schema);
    assert.equal((await update(app.id, { size: 7 }, { caller: asItself(app) })).version, 1);
    fixture.app(schema, { ...app, mayWrite: false });
    await assert.rejects(update(app.id, { size: 8 }, { caller: asItself(app) }), rejectsWith("INVALID_STATE", /uninstalled/));
    assert.equal((await update(app.id, { size: 8 }, { caller: admin })).version, 2);
  });

  test("a version that is not current is CONFLICT; of many writers with one version, one succeeds", async () => {
    const { id } = fixture.app(schema);
    const attempts = Array.from({ length: 10 }, (_, at) => update(id, { name: `w${at}` }, { expectedVersion: 0 }));
    const outcomes = await Promise.allSettled(attempts);
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    for (const outcome of outcomes)
      if (outcome.status === "rejected") rejectsWith("CONFLICT", /version 1, not 0/)(outcome.reason);
    await assert.rejects(
      deleteSettings(fixture.context, { appId: id, expectedVersion: 0 }, callBy(system)),
      rejectsWith("CONFLICT", /read them again/),
    );
  });

  test("writers without a version are merged one after the other, and none is lost", async () => {
    const keys = Array.from({ length: 20 }, (_, at) => `k${at}`);
    const app = fixture.app(keys.map((key) => definition(key, T.INT)));
    await Promise.all(keys.map((key, at) => update(app.id, { [key]: at })));
    const view = await readSettings(fixture.context, app.id, callBy(system));
    assert.deepEqual([view.version, Object.keys(valuesOf(view)).length], [20, 20]);
    assert.equal((await fixture.events(app)).length, 20);
  });

  test("after a deletion defaults apply, and the version continues to grow", async () => {
    const app = fixture.app(schema);
    await update(app.id, { size: 7, token: "hunter22" });
    const view = await deleteSettings(fixture.context, { appId: app.id }, callBy(system));
    assert.deepEqual([valuesOf(view), view.version, secretsSet(view)], [{ size: 10 }, 2, []]);
    assert.deepEqual((await fixture.events(app)).at(-1)?.body["keys"], ["size", "token"]);
    await update(app.id, { size: 8 });
    for (const _ of ["once", "again"]) await purgeSettings(fixture.context, app.id, { actor: "user:admin" });
    assert.deepEqual(await fixture.stored(app), {});
    assert.equal((await readSettings(fixture.context, app.id, callBy(system))).version, 4);
  });

  test("a new schema keeps values that still fit, reports the others, and encrypts new secrets", async () => {
    const app = fixture.app(schema);
    await update(app.id, { size: 90, name: "n4me", token: "hunter22" });
    const stricter = [
      definition("size", T.INT, { defaultValue: "5", validation: { max: 50 } }),
      definition("name", T.STRING, { sensitive: true }),
    ];
    const upgraded = fixture.app(stricter, { ...app, definitions: stricter });
    for (const _ of ["once", "again"]) await prepareSettings(fixture.context, upgraded);
    const view = await readSettings(fixture.context, app.id, callBy(reader));
    assert.deepEqual([valuesOf(view), view.version], [{ size: 5, name: "********" }, 1]);
    assert.deepEqual(
      view.conditions.map(({ type, message }) => [type, message]),
      [["SettingsValid", "token is not a setting of the app any more; size must be at most 50"]],
    );
    const { name = "", size } = await fixture.stored(app);
    assert.deepEqual([size, name.startsWith("v1:first:")], ["90", true]);
    assert.equal((await readSetting(fixture.context, { appId: app.id, key: "name" }, callBy(admin)))?.value, "n4me");
    // The earlier schema finds its values again.
    fixture.app(schema, app);
    const back = await readSettings(fixture.context, app.id, callBy(admin));
    assert.deepEqual([valuesOf(back), back.conditions], [{ size: 90, name: "n4me", token: "hunter22" }, []]);
  });

  test("automatic upgrades are one of three, and are available to the marketplace; another stored text decides nothing", async () => {
    const app = fixture.app([]);
    const rules = createAutoUpgrades(fixture.home.database);
    assert.equal(await rules.find(app.id), undefined);
    await assert.rejects(update(app.id, { "app.auto_upgrade": "major" }), rejectsWith("INVALID_REQUEST"));
    for (const rule of ["none", "patch", "minor"]) {
      await update(app.id, { "app.auto_upgrade": rule });
      assert.deepEqual([await rules.find(app.id), (await rules.all()).get(app.id)], [rule, rule]);
    }
    await fixture.home.database.query("update settings.values set value = $2 where app_id = $1", [app.id, '"always"']);
    assert.equal(await rules.find(app.id), undefined);
  });

  test("the number of replicas has the maximum of its app, and is available to the orchestrator", async () => {
    const app = fixture.app([], { replicaLimit: { most: 3, because: "an operator can raise it" } });
    const counts = createReplicaCounts(fixture.home.database);
    for (const count of [0, 4, 1.5, "2"])
      await assert.rejects(update(app.id, { "containers.replicas": count }), rejectsWith("INVALID_REQUEST"));
    await update(app.id, { "containers.replicas": 3 });
    assert.deepEqual([await counts.find(app.id), (await counts.all()).get(app.id)], [3, 3]);
    // The operator has lowered the maximum since.
    const lowered = fixture.app([], { ...app, replicaLimit: { most: 2, because: "an operator can raise it" } });
    const { conditions } = await readSettings(fixture.context, app.id, callBy(admin));
    assert.equal(conditions.length, 1);
    assert.deepEqual(await faultyAmong(fixture.context, [lowered]), [app.id]);
  });

  test("settings of the platform need app:install: neither the app itself nor settings:write alone changes or deletes them", async () => {
    const app = fixture.app(schema);
    await update(app.id, { "app.auto_upgrade": "none", size: 7 }, { caller: admin });
    const refused = rejectsWith("PERMISSION_DENIED", /app\.auto_upgrade.*app:install|docker\.image\.stage.*app:install/);
    for (const caller of [asItself(app), writer]) {
      for (const values of [{ "app.auto_upgrade": "minor" }, { "app.auto_upgrade": null }, { "docker.image.stage": "testing" }])
        await assert.rejects(update(app.id, { ...values, size: 8 }, { caller }), refused);
      // A form sends back what it displayed.
      await update(app.id, { "app.auto_upgrade": "none", size: caller === writer ? 9 : 8 }, { caller });
      await deleteSettings(fixture.context, { appId: app.id }, callBy(caller));
      assert.deepEqual(await fixture.stored(app), { "app.auto_upgrade": '"none"' });
    }
    await deleteSettings(fixture.context, { appId: app.id }, callBy(admin));
    assert.deepEqual(await fixture.stored(app), {});
  });

  test("an app that holds app:install changes those of other apps, never its own", async () => {
    const [app, other] = [fixture.app(schema, { name: "com.example.installer" }), fixture.app(schema)];
    const values = { "app.auto_upgrade": "minor" };
    await assert.rejects(update(app.id, values, { caller: asItself(app) }), rejectsWith("PERMISSION_DENIED", /itself/));
    assert.equal((await update(other.id, values, { caller: asItself(app) })).version, 1);
  });

  test("the image stage is one of three, exists for every app, and is available to the orchestrator", async () => {
    const [app, other] = [fixture.app([]), fixture.app([])];
    const stages = createImageStages(fixture.home.database);
    for (const stage of ["nightly", "../evil", "", 1])
      await assert.rejects(
        update(app.id, { "docker.image.stage": stage }),
        rejectsWith("INVALID_REQUEST", /docker\.image\.stage/),
      );
    await update(app.id, { "docker.image.stage": "pre-release" });
    assert.deepEqual([await stages.find(app.id), await stages.find(other.id)], ["pre-release", undefined]);
    assert.equal((await stages.all()).get(app.id), "pre-release");
    await fixture.home.database.query("update settings.values set value = '\"../evil\"' where app_id = $1", [app.id]);
    assert.equal(await stages.find(app.id), undefined);
    await prepareSettings(fixture.context, app);
  });
});
