import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { AppError, SqlLeases, SystemClock, silentLogger } from "@appserver/kernel";
import type { Authorization, Tuple } from "@appserver/kernel/ports";
import { callBy, rejectsWith } from "@appserver/testing/kit";
import { AppTuples } from "../src/adapters/app-tuples.ts";
import { repairAppGrants } from "../src/index.ts";
import { approvePermissions } from "../src/use-cases/approve-permissions.ts";
import { conditionsOf } from "../src/use-cases/find-app.ts";
import { grantConditions } from "../src/use-cases/grant-conditions.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import { uninstallApp } from "../src/use-cases/uninstall-app.ts";
import { type GrantRepairDeps, repairGrants } from "../src/workers/repair-grants.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const system = callBy({ kind: "system", reason: "test" });

describe("grants that the authorization store lacks", async () => {
  const home = await startMarketplace();
  const { context, comparisons, authorization, database, register } = home;
  after(home.stop);
  const deps = { ...context, comparisons };
  const shown = { ...context, participants: [grantConditions(comparisons)] };

  /** Registers and installs an app that holds `audit:view`. Returns its tuples. */
  async function installed(name: string): Promise<readonly Tuple[]> {
    const requiredPermissions = [{ scope: "audit:view", resourceType: "", reason: "", requiresApproval: false }];
    await register(name, { requiredPermissions });
    await approvePermissions(context, { name, scopes: ["audit:view"] }, system);
    await installApp(context, { name }, system);
    return tuplesOf(name);
  }
  const tuplesOf = async (name: string): Promise<readonly Tuple[]> => [
    ...(await authorization.read({ object: `app:${name}` })),
    ...(await authorization.read({ user: `app:${name}`, object: "permission_scope:" })),
  ];
  const conditions = async (name: string) => conditionsOf(shown, await home.stored(name));
  /** Lets the next turn compare every app. */
  const turn = async (own: GrantRepairDeps = deps) => {
    await comparisons.reset();
    return repairGrants(own);
  };

  test("a store from another moment gets them again, and every app is compared once a minute", async () => {
    const name = "com.example.restored";
    const before = await installed(name);
    assert.equal(before.length, 3);
    await authorization.write({ deletes: before });
    const repaired = await turn();
    assert.deepEqual(
      repaired.map(({ appName, tuples }) => [appName, tuples.length]),
      [[name, 3]],
    );
    assert.deepEqual(await tuplesOf(name), before);
    assert.deepEqual(await conditions(name), []);
    const [entry] = await home.audit.read({ target: `app:${name}`, limit: 1 });
    assert.deepEqual([entry?.action, entry?.actor], ["permission.repair", "system"]);
    await authorization.write({ deletes: before });
    assert.deepEqual(await repairGrants(deps), [], "compared less than a minute ago");
    await database.query("update marketplace.grants set compared_at = compared_at - interval '61 seconds'");
    assert.equal((await repairGrants(deps)).length, 1);
  });

  test("while they cannot be written, the app has a condition, and other apps are repaired", async () => {
    const names = ["com.example.a-poisoned", "com.example.b-other"];
    for (const name of names) await authorization.write({ deletes: await installed(name) });
    const refusing: Authorization = Object.assign(Object.create(authorization), {
      write: (change: { writes?: readonly Tuple[] }) =>
        change.writes?.some(({ user }) => user.endsWith("poisoned"))
          ? Promise.reject(new Error("refused"))
          : authorization.write(change),
      read: (filter: Parameters<Authorization["read"]>[0]) => authorization.read(filter),
    });
    const repaired = await turn({ ...deps, permissions: new AppTuples(refusing) });
    assert.deepEqual(
      repaired.map(({ appName }) => appName),
      names.slice(1),
    );
    const [condition] = await conditions("com.example.a-poisoned");
    assert.deepEqual([condition?.type, condition?.status, condition?.reason], ["PermissionsGranted", "False", "TuplesMissing"]);
    assert.match(condition?.message ?? "", /lacks 3 tuples/);
    assert.deepEqual(
      (await grantConditions(comparisons).faultyAmong?.([]))?.length,
      1,
      "the filter of lists finds it without its name",
    );
    assert.equal((await turn()).length, 1);
    assert.deepEqual(await conditions("com.example.a-poisoned"), []);
  });

  test("an app that is not installed, or on which a command works, gets nothing", async () => {
    const [gone, busy] = ["com.example.gone", "com.example.busy"];
    await installed(gone);
    await uninstallApp(context, { name: gone, purgeData: false }, system);
    const lost = await installed(busy);
    await authorization.write({ deletes: lost });
    await context.lock.run(busy, async () => assert.deepEqual(await turn(), []));
    assert.deepEqual([await tuplesOf(gone), await tuplesOf(busy)], [[], []]);
    assert.equal((await turn()).length, 1);
  });

  test("an unreachable store ends the turn, and the operator's command repairs all at once", async () => {
    const names = ["com.example.first", "com.example.second"];
    for (const name of names) await authorization.write({ deletes: await installed(name) });
    const unreachable = {
      ...context.permissions,
      missing: () => Promise.reject(new AppError("SERVICE_UNAVAILABLE", "no response")),
    };
    await assert.rejects(turn({ ...deps, permissions: unreachable }), rejectsWith("SERVICE_UNAVAILABLE", /no response/));
    const clock = new SystemClock();
    const { outbox } = home.writers;
    const leases = new SqlLeases({ database, holder: "operator" });
    const operator = {
      database,
      authorization,
      outbox,
      audit: home.audit,
      leases,
      clock,
      logger: silentLogger,
      actor: "operator",
    };
    assert.deepEqual((await repairAppGrants(operator)).map(({ appName }) => appName).sort(), names);
    assert.deepEqual(await repairAppGrants(operator), []);
  });
});
