import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ErrorCode } from "@appserver/contracts/errors";
import {
  type Caller,
  newTraceparent,
  runKeyedWork,
  SqlIdempotencyKeys,
  SystemClock,
  traceIdOf,
  uuidv7,
} from "@appserver/kernel";
import type { EventEnvelope } from "@appserver/kernel/ports";
import { callBy, eventually, rejectsWith } from "@appserver/testing/kit";
import type { Hooks } from "../src/index.ts";
import { clock, created, declared, hooksHome, notes, trigger } from "./hooks-home.ts";
import { admin, bob, callerOf, hookApp } from "./hooks-under-test.ts";

describe("hooks on PostgreSQL", () => {
  const home = hooksHome();

  test("an accepted trigger stores one event on the bus and one delivery for each subscriber", async () => {
    home.apps.put(hookApp(notes), hookApp(clock, declared(created)), hookApp("other", declared("other.done")));
    const hooks = await home.start();
    const { eventId, deliveries } = await trigger(hooks, { id: 7, text: "zero \u0000, ünï" });
    assert.deepEqual(
      deliveries.map(({ appName }) => appName),
      [clock],
    );
    assert.deepEqual(await home.stored(), [{ status: "PENDING", attempt: 0, failures: 0 }]);
    const { rows } = await home.database.query<{ event: EventEnvelope }>("select event from platform.outbox");
    const { body, type, subject, actor } = rows[0]?.event ?? assert.fail();
    assert.deepEqual([rows.length, type, subject, actor], [1, "hook.triggered", notes, `app:${notes}`]);
    assert.deepEqual([body["hookId"], body["hookName"], body["sourceApp"]], [eventId, created, notes]);
    assert.deepEqual(body["data"], { id: 7, text: "zero \u0000, ünï" });
  });

  test("events and deliveries are found by the trace of their trigger, oldest first, without their data", async () => {
    home.apps.put(hookApp(notes), hookApp(clock, declared(created)), hookApp("other", declared(created)));
    const hooks = await home.start({ subscribeNeedsPermission: false });
    const [traceparent, other] = [newTraceparent(), newTraceparent()];
    const traced = (data: unknown, parent: string | undefined) =>
      hooks.trigger({ name: created, data }, callBy(callerOf(notes), { traceparent: parent }));
    const first = await traced({ secret: 1 }, traceparent);
    await traced(2, other);
    await traced(3, undefined);
    const last = await traced(4, traceparent);
    const ids = [traceIdOf(traceparent)];
    const events = await hooks.traced.events(ids, 10, callBy(admin));
    assert.deepEqual(
      events.map(({ id }) => id),
      [first.eventId, last.eventId],
    );
    assert.deepEqual(Object.keys(events[0] ?? {}).includes("data"), false);
    const deliveries = await hooks.traced.deliveries(ids, 10, callBy(admin));
    assert.deepEqual(
      deliveries.map(({ appName, eventId, traceId }) => [appName, eventId, traceId]),
      [first, first, last, last].map(({ eventId }, index) => [index % 2 === 0 ? clock : "other", eventId, ids[0]]),
    );
    assert.equal((await hooks.traced.deliveries(ids, 3, callBy(admin))).length, 3);
    for (const read of Object.values(hooks.traced))
      await assert.rejects(read(ids, 10, callBy(bob)), rejectsWith("PERMISSION_DENIED", /hook:view/));
  });

  test("an event is stored in the transaction of its request's key: without the key it is left out of its batch", async () => {
    home.apps.put(hookApp(notes), hookApp(clock, declared(created)));
    const hooks = await home.start();
    const keys = new SqlIdempotencyKeys({ database: home.database, clock: new SystemClock() });
    const keyed = async (key: string) => {
      const begun = await keys.begin({ caller: "user:admin", key, digest: Buffer.from("same") });
      return "work" in begun ? begun.work : assert.fail(begun.outcome);
    };
    const [first, lost] = [await keyed("first"), await keyed("lost")];
    await keys.fail(lost);
    const [stored, refused, other] = await Promise.allSettled([
      runKeyedWork(first, () => trigger(hooks, 1)),
      runKeyedWork(lost, () => trigger(hooks, 2)),
      trigger(hooks, 3),
    ]);
    assert.deepEqual([stored.status, refused.status, other.status], ["fulfilled", "rejected", "fulfilled"]);
    assert.equal((await home.database.query("select 1 from hooks.events")).count, 2);
    // Its response was lost: the next request with the key finds the event.
    await keys.fail(first);
    const { eventId, deliveries } = await runKeyedWork(await keyed("first"), () => trigger(hooks, 1));
    assert.deepEqual([stored.status === "fulfilled" && stored.value.eventId, deliveries.length], [eventId, 1]);
    assert.equal((await home.database.query("select 1 from hooks.events")).count, 2);
  });

  test("the number of waiting deliveries of an app's hooks is limited, on every replica", async () => {
    home.apps.put(hookApp(notes), hookApp(clock, declared(created)));
    const policy = { maxWaitingPerApp: 3 };
    const hooks = await home.start(policy);
    for (let n = 0; n < 3; n++) await trigger(hooks, n);
    const tooMany = rejectsWith("RATE_LIMIT_EXCEEDED", /com\.example\.notes has 3 or more deliveries of its hooks waiting/);
    await assert.rejects(trigger(hooks, 3), tooMany);
    await assert.rejects(trigger(await home.start(policy), 3), tooMany);
    await hooks.trigger({ name: "app.maintenance", data: null }, callBy(admin));
  });

  describe("permissions to trigger", () => {
    const refused = async (name: string, caller: Caller, code: ErrorCode, match: RegExp) => {
      home.apps.put(hookApp("com.example"), hookApp(notes));
      const hooks = await home.start();
      await assert.rejects(hooks.trigger({ name, data: null }, callBy(caller)), rejectsWith(code, match));
      assert.equal((await home.database.query("select 1 from hooks.events")).count, 0);
    };
    test("an app cannot trigger another app's hook", () =>
      refused("com.example.other", callerOf(notes), "PERMISSION_DENIED", /begin with/));
    test("an app cannot trigger a hook of an app whose longer name begins with its own", () =>
      refused(created, callerOf("com.example"), "PERMISSION_DENIED", /begin with/));
    test("an app cannot trigger the platform's hooks", () =>
      refused("app.on_create", callerOf("app"), "PERMISSION_DENIED", /begin with/));
    test("a user without the permission cannot trigger", () => refused(created, bob, "PERMISSION_DENIED", /hook:trigger/));
    test("an anonymous caller cannot trigger", () =>
      refused(created, { kind: "anonymous" }, "AUTHENTICATION_REQUIRED", /hook:trigger/));
    test("a hook of an app that is not installed is refused", () =>
      refused("nowhere.created", admin, "INVALID_REQUEST", /installed app/));
    test("an invalid name is refused", () => refused("No Name", admin, "INVALID_REQUEST", /name/));

    test("an app triggers its own hooks, a permitted user any, with data up to 256 KiB", async () => {
      home.apps.put(hookApp(notes));
      const hooks = await home.start();
      await trigger(hooks, "x".repeat(256 * 1024 - 2));
      await hooks.trigger({ name: "app.maintenance", data: null }, callBy(admin));
      await assert.rejects(trigger(hooks, "x".repeat(256 * 1024 - 1)), rejectsWith("INVALID_REQUEST", /262144 bytes.*262145/));
      await assert.rejects(trigger(hooks, 1, "\u0000"), rejectsWith("INVALID_REQUEST", /ordering_key/));
    });
  });

  describe("app.on_create", () => {
    const installing = hookApp("com.example.new");
    const onCreate = (hooks: Hooks, operationId = uuidv7()) =>
      hooks.onCreate({ app: installing, operationId, actor: "user:admin" });

    test("waits for reachable subscribers and sends them the app's name", async () => {
      home.apps.put(hookApp("watcher", declared("app.on_create")), hookApp("away", declared("app.on_create")));
      const hooks = await home.start();
      const watcher = await home.subscribe(hooks, "watcher");
      const operationId = uuidv7();
      await onCreate(hooks, operationId);
      assert.deepEqual(watcher.ids, [operationId]);
      assert.deepEqual(await home.statuses(), ["PENDING", "DELIVERED"]);
      await onCreate(hooks, operationId);
      assert.equal(watcher.events.length, 1, "a resumed installation sends no hook twice");
    });

    test("a subscriber that refuses makes it fail with the reason; open deliveries are dropped", async () => {
      home.apps.put(hookApp("watcher", declared("app.on_create")), hookApp("away", declared("app.on_create")));
      const hooks = await home.start();
      await home.subscribe(hooks, "watcher", { answer: () => "DROP" });
      await assert.rejects(onCreate(hooks), rejectsWith("UPSTREAM_ERROR", /watcher refused it/));
      assert.deepEqual(await home.statuses(), ["DROPPED", "DROPPED"]);
    });

    test("a subscriber without app:veto receives it, and can neither refuse nor delay", async () => {
      home.apps.put(hookApp("bystander", declared("app.on_create")));
      const hooks = await home.start({ onCreateTimeoutMs: 60_000 });
      const bystander = await home.subscribe(hooks, "bystander", { answer: () => undefined });
      await onCreate(hooks);
      await eventually(
        () => bystander.events.length,
        (count) => count === 1,
      );
    });

    test("a late subscriber makes it fail", async () => {
      home.apps.put(hookApp("watcher", declared("app.on_create")));
      const hooks = await home.start({ onCreateTimeoutMs: 300 });
      await home.subscribe(hooks, "watcher", { answer: () => "RETRY" });
      await assert.rejects(
        onCreate(hooks),
        rejectsWith("UPSTREAM_TIMEOUT", /watcher did not accept it within 300 ms: .*requested a retry/),
      );
    });
  });
});
