import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { uuidv7 } from "@appserver/kernel";
import { callBy, eventually, rejectsWith } from "@appserver/testing/kit";
import { SqlSubscriptionStore } from "../src/adapters/sql-subscription-store.ts";
import { clock, created, declared, hooksHome, notes, quick, trigger } from "./hooks-home.ts";
import { admin, bob, hookApp } from "./hooks-under-test.ts";

describe("hooks on PostgreSQL", () => {
  const home = hooksHome();

  test("RETRY is retried until no retries are left; then the delivery is dead and can be sent again", async () => {
    home.apps.put(hookApp(notes), hookApp(clock));
    const hooks = await home.start(quick);
    let answer: "RETRY" | "SUCCESS" = "RETRY";
    const subscriber = await home.subscribe(hooks, clock, { hookNames: [created], answer: () => answer });
    await trigger(hooks);
    await home.allAre("DEAD", 1);
    assert.deepEqual(
      subscriber.events.map(({ attempt }) => attempt),
      [1, 2, 3, 4],
    );
    const dead = await hooks.resolvers.Query.hookDeliveries(undefined, { status: "DEAD" }, callBy(admin));
    const id = dead.edges[0]?.node.id ?? "";
    assert.equal(await hooks.resolvers.HookDeliveryConnection.totalCount(dead), 1);
    answer = "SUCCESS";
    for (const any of [id, "999999"])
      await assert.rejects(
        hooks.resolvers.Mutation.resendHookDelivery(undefined, { id: any }, callBy(bob)),
        rejectsWith("PERMISSION_DENIED", /hook:trigger/),
      );
    await assert.rejects(
      hooks.resolvers.Mutation.resendHookDelivery(undefined, { id: "999999" }, callBy(admin)),
      rejectsWith("NOT_FOUND", /no delivery/),
    );
    await hooks.resolvers.Mutation.resendHookDelivery(undefined, { id }, callBy(admin));
    await home.allAre("DELIVERED", 1);
    assert.equal(subscriber.events.at(-1)?.attempt, 5);
  });

  test("neither an event nor a result that cannot be stored stops the others of its batch", async () => {
    home.apps.put(hookApp(notes), hookApp(clock));
    const hooks = await home.start(quick);
    await home.subscribe(hooks, clock, { hookNames: [created] });
    await home.database.query(
      `create function hooks.refuse() returns trigger language plpgsql as $$ begin
         if tg_table_name = 'events' or exists (select from hooks.events where id = new.event_id and data = '"late"') then
           raise exception 'poisoned';
         end if;
         return new;
       end $$;
       create trigger poisoned before insert on hooks.events for each row when (new.data = '"poisoned"')
         execute function hooks.refuse();
       create trigger poisoned before update on hooks.deliveries for each row when (new.status = 'DELIVERED')
         execute function hooks.refuse()`,
    );
    const stored = await Promise.allSettled(["one", "poisoned", "late", "two"].map((data) => trigger(hooks, data)));
    assert.deepEqual(
      stored.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled", "fulfilled"],
    );
    const seen = (wanted: string) =>
      eventually(
        () => home.statuses(),
        (statuses) => statuses.join() === wanted,
      );
    await seen("DELIVERED,SENDING,DELIVERED");
    await home.database.query("drop function hooks.refuse cascade");
    await seen("DELIVERED,DELIVERED,DELIVERED");
  });

  test("DROP finishes a delivery, and a missing acknowledgement counts as a failure", async () => {
    home.apps.put(hookApp(notes), hookApp(clock));
    const hooks = await home.start({ ...quick, answerTimeoutMs: 2_000 });
    await home.subscribe(hooks, clock, {
      hookNames: [created],
      answer: ({ data, attempt }) => (data?.kind.value === "drop" ? "DROP" : attempt === 1 ? undefined : "SUCCESS"),
    });
    await trigger(hooks, "drop");
    await trigger(hooks, "late");
    await eventually(
      () => home.statuses(),
      (seen) => seen.join() === "DROPPED,DELIVERED",
    );
    assert.deepEqual((await home.stored())[1], { status: "DELIVERED", attempt: 2, failures: 1 });
  });

  test("dead deliveries of a time range are recovered at once", async () => {
    home.apps.put(hookApp(notes), hookApp(clock));
    const hooks = await home.start({ retry: { delaysMs: [], freeDisconnects: 0 } });
    let answer: "RETRY" | "SUCCESS" = "RETRY";
    await home.subscribe(hooks, clock, { hookNames: [created], answer: () => answer });
    await trigger(hooks, 1);
    await trigger(hooks, 2, "key");
    await trigger(hooks, 3, "key");
    await home.allAre("DEAD", 3);
    answer = "SUCCESS";
    const recover = (since: number, until?: number) =>
      hooks.resolvers.Mutation.recoverHookDeliveries(
        undefined,
        { hookName: created, since: new Date(since).toISOString(), ...(until ? { until: new Date(until).toISOString() } : {}) },
        callBy(admin),
      );
    assert.equal(await recover(0, Date.now() - 3_600_000), 0);
    assert.equal(await recover(Date.now() - 3_600_000, Date.now() + 1000), 3);
    await home.allAre("DELIVERED", 3);
    await assert.rejects(recover(Date.now(), Date.now() - 1), rejectsWith("INVALID_REQUEST", /since/));
  });

  test("another replica sends the deliveries of a dead replica", async () => {
    home.apps.put(hookApp(notes), hookApp(clock, declared(created)));
    const hooks = await home.start();
    await trigger(hooks);
    // The state that a process leaves that was killed a minute ago.
    const dead = uuidv7();
    await home.database.query(
      `update hooks.deliveries set status = 'SENDING', attempt = 1, due_at = now() + interval '1 hour', claimed_by = $1`,
      [dead],
    );
    await home.database.query("insert into hooks.replicas (id, seen_at) values ($1, now() - interval '1 minute')", [dead]);
    const subscriber = await home.subscribe(hooks, clock);
    await home.allAre("DELIVERED", 1);
    assert.deepEqual(
      subscriber.events.map(({ attempt }) => attempt),
      [2],
    );
    const [delivery] = (await hooks.resolvers.Query.hookDeliveries(undefined, {}, callBy(admin))).edges;
    assert.deepEqual(
      delivery?.node.attempts.map(({ outcome }) => outcome),
      ["LOST", "SUCCESS"],
    );
  });

  test("a replica that others considered dead has all its streams again, even if a stream is opened first", async () => {
    const store = new SqlSubscriptionStore({
      database: home.database,
      replica: uuidv7(),
      replicaTimeoutMs: 60_000,
      streamSubscriptionMs: 60_000,
    });
    const [before, after] = [uuidv7(), uuidv7()].map((id) => ({ id, appName: clock, hookNames: undefined }));
    assert.ok(before && after);
    await store.openStream(before, new Map());
    await store.heartbeat([before]);
    await home.database.query("delete from hooks.replicas");
    await store.openStream(after, new Map());
    await store.heartbeat([before, after]);
    const { rows } = await home.database.query("select id from hooks.streams order by id");
    assert.deepEqual(
      rows.map(({ id }) => id),
      [before.id, after.id],
    );
  });
});
