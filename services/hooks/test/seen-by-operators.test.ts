import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { metricCatalogue } from "@appserver/contracts/metrics";
import { newTraceparent, parseTraceparent, runInTrace, SystemClock } from "@appserver/kernel";
import type { RecordingMetrics } from "@appserver/testing/kit";
import { callBy, eventually, SqlAuditLog } from "@appserver/testing/kit";
import { clock, created, declared, hooksHome, notes, quick, trigger } from "./hooks-home.ts";
import { admin, callerOf, hookApp, startReplica, TestTransport } from "./hooks-under-test.ts";

const backend = { url: "http://127.0.0.1:9", managed: true };

describe("metrics and audit entries of hooks, on PostgreSQL", () => {
  const home = hooksHome();
  const audited = async () => {
    const entries = await new SqlAuditLog({ database: home.database, clock: new SystemClock() }).read({ limit: 50 });
    return entries
      .map(({ actor, action, target, outcome, details }) => ({ actor, action, target, outcome, details }))
      .reverse();
  };
  /** Returns the counted attempts to the app `clock`. */
  const attempts = (metrics: RecordingMetrics, transport: string, outcome: string): number =>
    metrics.value(metricCatalogue.hookDeliveries, { app: clock, transport, outcome });
  const unfinished = async (metrics: RecordingMetrics) =>
    Object.fromEntries(
      (await metrics.readings(metricCatalogue.hookDeliveriesUnfinished)).map(({ labels, value }) => [labels["status"], value]),
    );

  test("count triggers by app, attempts over streams by outcome and duration, and open streams", async (t) => {
    home.apps.put(hookApp(notes), hookApp(clock, declared(created)));
    const replica = await startReplica(home.database, home.apps, quick);
    t.after(() => replica.stop());
    const { hooks, metrics } = replica;
    const answers = ["SUCCESS", "DROP", "RETRY", "SUCCESS"] as const;
    let calls = 0;
    const subscriber = await home.subscribe(hooks, clock, { answer: () => answers[calls++] });
    assert.equal(metrics.value(metricCatalogue.hookStreamsOpen, { app: clock }), 1);
    for (const status of ["DELIVERED", "DROPPED", "DELIVERED"]) {
      await trigger(hooks);
      await eventually(
        () => home.statuses(),
        (seen) => seen.at(-1) === status,
      );
    }
    await hooks.trigger({ name: "app.maintenance", data: null }, callBy(admin));
    await eventually(
      () => ["delivered", "dropped", "retried", "dead"].map((outcome) => attempts(metrics, "stream", outcome)),
      (counts) => counts.join() === "2,1,1,0",
    );
    assert.equal(metrics.value(metricCatalogue.hookDeliveryDuration, { transport: "stream" }), 4);
    assert.equal(metrics.value(metricCatalogue.hookTriggers, { app: notes }), 3);
    assert.equal(metrics.value(metricCatalogue.hookTriggers, { app: "none" }), 1);
    await subscriber.vanish();
    assert.equal(metrics.value(metricCatalogue.hookStreamsOpen, { app: clock }), 0);
  });

  test("count attempts by POST, and waiting, retrying and dead deliveries, on every replica", async (t) => {
    home.apps.put(hookApp(notes), hookApp(clock, { [created]: "/in" }, backend), hookApp("idle", declared(created)));
    const transport = new TestTransport();
    transport.answer = () => ({ status: 500, retryAfter: undefined });
    const policy = { retry: { delaysMs: [50, 3_600_000], freeDisconnects: 3 } };
    const replica = await startReplica(home.database, home.apps, policy, transport);
    t.after(() => replica.stop());
    await trigger(replica.hooks);
    const other = await startReplica(home.database, home.apps, policy, transport);
    t.after(() => other.stop());
    await eventually(
      () => unfinished(other.metrics),
      (counts) => counts["retrying"] === 1 && transport.posts.length === 2,
    );
    assert.deepEqual(await unfinished(replica.metrics), { waiting: 1, sending: 0, retrying: 1 });
    // Moves the second retry to now; otherwise it would come in an hour.
    await home.database.query("update hooks.deliveries set due_at = now() where status = 'RETRYING'");
    const dead = async () => (await replica.metrics.readings(metricCatalogue.hookDeadLetters)).map(({ value }) => value);
    await eventually(dead, ([value]) => value === 1);
    assert.deepEqual(await unfinished(replica.metrics), { waiting: 1, sending: 0, retrying: 0 });
    const both = (outcome: string) =>
      [replica, other].reduce((sum, { metrics }) => sum + attempts(metrics, "push", outcome), 0);
    await eventually(
      () => [both("retried"), both("dead")],
      (counts) => counts.join() === "2,1",
    );
  });

  test("record triggers and resends of users, with the trace and without the data, but none of apps", async (t) => {
    home.apps.put(hookApp(notes), hookApp(clock, { [created]: "/in" }, backend));
    const transport = new TestTransport();
    transport.answer = () => ({ status: 500, retryAfter: undefined });
    const replica = await startReplica(home.database, home.apps, { retry: { delaysMs: [], freeDisconnects: 0 } }, transport);
    t.after(() => replica.stop());
    const { hooks } = replica;
    const traceparent = newTraceparent();
    const { eventId } = await runInTrace(traceparent, () =>
      hooks.trigger({ name: created, data: "canary-of-the-data" }, callBy(admin)),
    );
    await trigger(hooks, "canary-of-the-data");
    await home.allAre("DEAD", 2);

    const { rows } = await home.database.query<{ id: number }>("select id from hooks.deliveries order by id");
    const id = String(rows[0]?.id);
    const { resendHookDelivery, recoverHookDeliveries } = hooks.resolvers.Mutation;
    const all = { hookName: created, since: new Date(0).toISOString() };
    await resendHookDelivery(undefined, { id }, callBy(admin));
    await home.allAre("DEAD", 2);
    await resendHookDelivery(undefined, { id }, callBy(callerOf(clock)));
    await home.allAre("DEAD", 2);
    assert.equal(await recoverHookDeliveries(undefined, all, callBy(admin)), 2);
    await home.allAre("DEAD", 2);
    await recoverHookDeliveries(undefined, all, callBy(callerOf(notes)));

    const by = { actor: "user:admin", target: `hook:${created}`, outcome: "success" };
    const entries = await audited();
    const until = entries.at(-1)?.details?.["until"];
    assert.deepEqual(entries, [
      { ...by, action: "hook.trigger", details: { eventId } },
      { ...by, action: "hook.resend", details: { deliveryId: id, eventId, subscriber: clock } },
      { ...by, action: "hook.recover", details: { since: "1970-01-01T00:00:00.000Z", until, recovered: 2 } },
    ]);
    const { rows: stored } = await home.database.query<{ entry: string; trace_id: string | null }>(
      "select a::text as entry, trace_id from platform.audit_log a order by id",
    );
    assert.equal(stored[0]?.trace_id, parseTraceparent(traceparent)?.traceId);
    assert.ok(stored.every(({ entry }) => !entry.includes("canary")));
  });
});
