import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callBy, eventually, rejectsWith } from "@appserver/testing/kit";
import { clock, created, declared, hooksHome, notes, trigger } from "./hooks-home.ts";
import { callerOf, hookApp } from "./hooks-under-test.ts";

describe("hooks on PostgreSQL", () => {
  const home = hooksHome();

  test("an app sees the deliveries to it and from it; each page continues after the previous one", async () => {
    home.apps.put(hookApp(notes), hookApp(clock), hookApp("other"));
    const hooks = await home.start();
    for (const name of [clock, "other"]) await home.subscribe(hooks, name, { hookNames: [created] });
    for (let number = 0; number < 3; number += 1) await trigger(hooks, number);
    await home.allAre("DELIVERED", 6);
    const list = async (name: string, after?: string) => {
      const page = await hooks.resolvers.Query.hookDeliveries(
        undefined,
        { first: 2, ...(after ? { after } : {}) },
        callBy(callerOf(name)),
      );
      return { ...page, total: await hooks.resolvers.HookDeliveryConnection.totalCount(page) };
    };
    assert.deepEqual([(await list(notes)).total, (await list(clock)).total, (await list("stranger")).total], [6, 3, 0]);
    const first = await list(clock);
    assert.deepEqual([first.edges.length, first.pageInfo.hasNextPage], [2, true]);
    const last = await list(clock, first.pageInfo.endCursor ?? "");
    assert.deepEqual([last.edges.length, last.pageInfo.hasNextPage], [1, false]);
  });

  test("an app whose name is a prefix of another's neither sees, watches, resends nor recovers the other's hooks", async () => {
    home.apps.put(hookApp("com.example"), hookApp(notes), hookApp(clock, declared(created, "com.example.done")));
    const hooks = await home.start();
    await trigger(hooks);
    const parent = callerOf("com.example");
    const { eventId } = await hooks.trigger({ name: "com.example.done", data: null }, callBy(parent));
    const page = await hooks.resolvers.Query.hookDeliveries(undefined, {}, callBy(parent));
    assert.deepEqual(
      page.edges.map(({ node }) => [node.eventId, node.hookName]),
      [[eventId, "com.example.done"]],
    );
    assert.equal(await hooks.resolvers.HookDeliveryConnection.totalCount(page), 1);

    const recover = (hookName: string) =>
      hooks.resolvers.Mutation.recoverHookDeliveries(undefined, { hookName, since: "2020-01-01T00:00:00Z" }, callBy(parent));
    assert.equal(await recover("com.example.done"), 0);
    await assert.rejects(async () => recover(created), rejectsWith("PERMISSION_DENIED", /hook:trigger/));
    const watch = (hookName: string) =>
      hooks.resolvers.Subscription.hookTriggered.subscribe(undefined, { hookName }, callBy(parent)).next();
    assert.equal((await watch("com.example.done")).done, true);
    await assert.rejects(watch(created), rejectsWith("PERMISSION_DENIED", /hook:view/));
    const { rows } = await home.database.query<{ id: string }>("select id from hooks.deliveries where hook_name = $1", [
      created,
    ]);
    const resend = hooks.resolvers.Mutation.resendHookDelivery(undefined, { id: String(rows[0]?.id) }, callBy(parent));
    await assert.rejects(resend, rejectsWith("PERMISSION_DENIED", /hook:trigger/));
  });

  test("nothing is kept of an app that is forgotten: neither its subscriptions nor deliveries to it and from it", async () => {
    home.apps.put(hookApp(notes), hookApp(clock, declared(created)), hookApp("other", declared(created)));
    const hooks = await home.start();
    await trigger(hooks);
    const count = async (table: string) => (await home.database.query(`select 1 from hooks.${table}`)).count;
    assert.deepEqual([await count("subscriptions"), await count("deliveries"), await count("events")], [2, 2, 1]);
    for (const _ of [1, 2]) await hooks.forget(clock);
    assert.deepEqual([await count("subscriptions"), await count("deliveries"), await count("events")], [1, 1, 1]);
    await hooks.forget(notes);
    assert.deepEqual([await count("subscriptions"), await count("deliveries"), await count("events")], [1, 0, 0]);
  });

  test("finished deliveries are deleted after their retention, dead ones later, open ones never", async () => {
    home.apps.put(hookApp(notes), hookApp(clock, declared(created)));
    await home.start();
    const insert = (status: string, days: number, due: string | null) =>
      home.database.query(
        `with event as (insert into hooks.events (id, hook_name, data, triggered_at, triggered_by)
           values (gen_random_uuid(), 'a.b', 'null', now() - $2 * interval '1 day', 'test') returning id)
         insert into hooks.deliveries (event_id, hook_name, app_name, status, due_at, updated_at)
         select id, 'a.b', $4, $1, $3::timestamptz, now() - $2 * interval '1 day' from event`,
        [status, days, due, clock],
      );
    for (const days of [6, 8, 31]) {
      await insert("DELIVERED", days, null);
      await insert("DEAD", days, null);
      await insert("PENDING", days, "infinity");
    }
    await home.start();
    await eventually(
      async () => (await home.statuses()).sort().join(),
      (seen) => seen === "DEAD,DEAD,DELIVERED,PENDING,PENDING,PENDING",
    );
    await eventually(
      async () => (await home.database.query("select 1 from hooks.events")).count,
      (count) => count === 6,
    );
  });

  test("an uninstalled app's subscriptions are deleted and its open deliveries dropped", async () => {
    home.apps.put(hookApp(notes), hookApp(clock, declared(created)));
    const hooks = await home.start();
    await trigger(hooks);
    home.apps.known.delete(clock);
    await home.database.transaction((tx) => hooks.unsubscribe(tx, clock));
    assert.equal((await trigger(hooks)).deliveries.length, 0);
    hooks.appChanged(clock);
    await home.allAre("DROPPED", 1);
    await home.database.query("update hooks.deliveries set status = 'PENDING', due_at = now()");
    // It looks for such deliveries itself, too.
    await home.start();
    await home.allAre("DROPPED", 1);
  });

  test("the subscriptions of another release hold from its commit on, and those that it does not declare end", async () => {
    const [first, next] = [hookApp(clock, declared(created)), hookApp(clock, declared(`${notes}.deleted`))];
    home.apps.put(hookApp(notes), first);
    const hooks = await home.start();
    const received = async (suffix: string) =>
      (await trigger(hooks, {}, undefined, `${notes}.${suffix}`)).deliveries.length === 1;
    const both = async () => [await received("created"), await received("deleted")];
    const write = await hooks.declarations(next);
    await assert.rejects(
      home.database.transaction(async (tx) => {
        await write(tx);
        throw new Error("the switch failed");
      }),
    );
    assert.deepEqual(await both(), [true, false]);
    await home.database.transaction(write);
    assert.deepEqual(await both(), [false, true]);
  });
});
