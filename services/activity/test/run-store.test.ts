import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { newTraceparent, traceIdOf } from "@appserver/kernel";
import { callBy, rejectsWith } from "@appserver/testing/kit";
import type { Assignment } from "../src/ports.ts";
import { triggerActivity } from "../src/use-cases/trigger-activity.ts";
import { Dispatcher, type WorkReports } from "../src/workers/dispatcher.ts";
import { RunSweeps } from "../src/workers/run-sweeps.ts";
import { admin, app, notes, startActivity, type TestActivity, testDefinition } from "./fixtures.ts";

const plain = testDefinition({ name: "plain", maxRetries: 1 });
const brief = testDefinition({ name: "brief", timeoutMs: 1_000 });
const three = testDefinition({ name: "three", concurrency: 3 });
const left = testDefinition({ name: "left", singletonKey: "print" });
const right = testDefinition({ name: "right", singletonKey: "print" });

describe("runs in PostgreSQL", () => {
  let service: TestActivity;

  before(async () => {
    service = await startActivity([plain, brief, three, left, right]);
  });
  after(() => service?.stop());

  const trigger = (activity = "plain", more: { input?: unknown; idempotencyKey?: string; runAt?: Date } = {}) =>
    triggerActivity(service.activity.context, { appName: notes, activity, input: more.input, ...more }, callBy(app));
  const runs = () => service.activity.context.runs;
  const endOverdue = async (connected: readonly Assignment[]) =>
    runs().endOverdue(connected, await runs().overdue(connected, []));
  const reads = () => service.activity.context.runReads;
  const claim = async (definition = plain, limit = 10) => {
    const claimed = await runs().claim({ appName: notes, definition, limit });
    return claimed.map(({ run }): Assignment => ({ appName: notes, runId: run.id, attempt: run.attempt }));
  };
  const status = async (id: string) => (await reads().find(id))?.status;
  const done = { kind: "completed", output: "null" } as const;
  const finish = (assigned: readonly Assignment[]) => runs().finish(assigned.map((each) => ({ ...each, outcome: done })));
  const endsOf = async (id: string) =>
    (await service.executed()).flatMap((event) => (event.runId === id ? [event.status] : []));
  /** Makes the times of a running attempt expire. */
  const expire = (column: string, id: string) =>
    service.database.query(`update activity.runs set ${column} = now() - interval '1 s' where id = $1`, [id]);
  /** Ends the pause before the next attempt. */
  const hurry = (id: string) => service.database.query("update activity.runs set scheduled_for = now() where id = $1", [id]);

  test("a large input is not read with the claim, but when the run is sent to its worker", async () => {
    const [small, large] = ["x".repeat(16_000), "x".repeat(17_000)];
    for (const input of [small, large]) await trigger("plain", { input });
    const claimed = await runs().claim({ appName: notes, definition: plain, limit: 10 });
    assert.deepEqual(
      claimed.map(({ input, isInputLarge }) => [input, isInputLarge]),
      [
        [JSON.stringify(small), false],
        [undefined, true],
      ],
    );
    await runs().release(claimed.map(({ run }) => ({ appName: notes, runId: run.id, attempt: run.attempt })));
    const dispatcher = new Dispatcher(service.activity.context, {} as WorkReports);
    const session = dispatcher.open(notes);
    await dispatcher.ready(session, { activities: ["plain"], slots: 2, capacity: undefined });
    const sent: unknown[] = [];
    for await (const message of dispatcher.messages(session)) {
      if (message.kind === "assign") sent.push(JSON.parse(message.assigned.input ?? ""));
      if (sent.length === 2) session.end();
    }
    assert.deepEqual(sent.sort(), [small, large]);
    await finish(claimed.map(({ run }) => ({ appName: notes, runId: run.id, attempt: run.attempt })));
    await dispatcher.stop();
  });

  test("trigger, claim and result: one terminal status, one event, and no other claim", async () => {
    const run = await trigger("plain", { input: { text: "a\u0000b" } });
    const [assigned] = await runs().claim({ appName: notes, definition: plain, limit: 10 });
    assert.equal(assigned?.run.id, run.id);
    assert.equal(assigned.run.attempt, 1);
    assert.deepEqual(JSON.parse(assigned.input ?? ""), { text: "a\u0000b" });
    const attempt = { appName: notes, runId: run.id, attempt: 1 };
    const outcome = { kind: "completed", output: '{"n":7}' } as const;
    assert.deepEqual(await runs().finish([{ ...attempt, outcome }]), [true]);
    // Repeated, because the response was lost; then by a worker that had an earlier attempt.
    assert.deepEqual(await runs().finish([{ ...attempt, outcome }]), [true]);
    assert.deepEqual(await runs().finish([{ ...attempt, attempt: 2, outcome }]), [false]);
    assert.deepEqual(await runs().finish([{ ...attempt, appName: "com.example.clock", outcome }]), [false]);
    const stored = await reads().find(run.id);
    assert.equal(stored?.status, "COMPLETED");
    assert.equal(stored.progress, 1);
    assert.equal((await reads().values(run.id)).output, '{"n":7}');
    assert.deepEqual(await endsOf(run.id), ["COMPLETED"]);
    assert.deepEqual(await claim(), []);
  });

  test("a run continues the trace of its trigger, is found by it, and its end is announced in it", async () => {
    const traceparent = newTraceparent();
    const traced = () =>
      triggerActivity(service.activity.context, { appName: notes, activity: "plain", input: 1 }, callBy(app, { traceparent }));
    const [first, second] = [await traced(), await traced()];
    await trigger();
    const found = await service.activity.traced([traceIdOf(traceparent)], 10, callBy(admin));
    assert.deepEqual(
      found.map((run) => [run.id, run.traceparent]),
      [first, second].map(({ id }) => [id, traceparent]),
    );
    assert.equal((await service.activity.traced([traceIdOf(traceparent)], 1, callBy(admin))).length, 1);
    await assert.rejects(service.activity.traced([], 1, callBy(app)), rejectsWith("PERMISSION_DENIED", /activity:view/));
    await finish(await claim());
    const { rows } = await service.database.query<{ traceparent: string }>(
      "select event->>'traceparent' as traceparent from platform.outbox where event->'body'->>'runId' = $1",
      [second.id],
    );
    assert.deepEqual(rows, [{ traceparent }]);
  });

  test("the same idempotency key returns the first run, in one batch and later", async () => {
    const [a, b] = await Promise.all([trigger("plain", { idempotencyKey: "k" }), trigger("plain", { idempotencyKey: "k" })]);
    assert.equal(a.id, b.id);
    assert.equal((await trigger("plain", { idempotencyKey: "k" })).id, a.id);
    const assigned = await claim();
    assert.deepEqual(
      assigned.map(({ runId }) => runId),
      [a.id],
    );
    await finish(assigned);
    assert.equal((await trigger("plain", { idempotencyKey: "k" })).status, "COMPLETED");
    assert.notEqual((await trigger("three", { idempotencyKey: "k" })).id, a.id);
    await finish(await claim(three));
  });

  test("a failure waits and is retried in a new attempt; without retries left it is FAILED", async () => {
    const run = await trigger();
    const error = { code: "BROKEN", message: "no paper" };
    const [first] = await claim();
    assert.ok(first);
    assert.deepEqual(await runs().finish([{ ...first, outcome: { kind: "failed", error } }]), [true]);
    const waiting = await reads().find(run.id);
    assert.equal(waiting?.status, "QUEUED");
    assert.ok(waiting.scheduledFor.getTime() > Date.now());
    assert.deepEqual(waiting.error, error);
    assert.deepEqual(await claim(), []);
    await hurry(run.id);
    const [second] = await claim();
    assert.equal(second?.attempt, 2);
    assert.deepEqual(await runs().finish([{ ...second, outcome: { kind: "failed", error } }]), [true]);
    assert.equal(await status(run.id), "FAILED");
    assert.deepEqual(await endsOf(run.id), ["FAILED"]);
  });

  test("a worker silent for two heartbeats loses the run, and its late result is refused", async () => {
    const run = await trigger();
    const [lost] = await claim();
    assert.ok(lost);
    assert.equal(await endOverdue([]), 0);
    await expire("lease_until", run.id);
    assert.equal(await endOverdue([]), 1);
    assert.equal((await reads().find(run.id))?.error?.code, "CRASHED");
    assert.deepEqual(await runs().heartbeat([lost]), ["lost"]);
    assert.deepEqual(await finish([lost]), [false]);
    await hurry(run.id);
    const [again] = await claim();
    assert.ok(again);
    assert.deepEqual(await finish([lost, again]), [false, true]);
    assert.deepEqual(await endsOf(run.id), ["COMPLETED"]);
  });

  test("a run that crashes too often ends as CRASHED", async () => {
    const run = await trigger();
    for (const attempt of [1, 2]) {
      assert.equal((await claim())[0]?.attempt, attempt);
      await expire("lease_until", run.id);
      await endOverdue([]);
      await hurry(run.id);
    }
    assert.equal(await status(run.id), "CRASHED");
    assert.deepEqual(await claim(), []);
    assert.deepEqual(await endsOf(run.id), ["CRASHED"]);
  });

  test("a run over its timeout is TIMED_OUT and not retried, if its worker is connected", async () => {
    const run = await trigger();
    const assigned = await claim();
    assert.deepEqual(await runs().heartbeat(assigned), ["assigned"]);
    await expire("deadline_at", run.id);
    assert.equal(await endOverdue([]), 0, "another replica cannot know");
    assert.equal(await endOverdue(assigned.map((each) => ({ ...each, attempt: 7 }))), 0);
    assert.equal(await endOverdue(assigned), 1);
    assert.equal(await status(run.id), "TIMED_OUT");
    assert.deepEqual(await finish(assigned), [false]);
    assert.deepEqual(await endsOf(run.id), ["TIMED_OUT"]);
  });

  test("the timeout counts from the first report of the worker", async () => {
    const deadline = async (id: string) => {
      const { rows } = await service.database.query<{ at: Date | null; left: number | null }>(
        `select deadline_at as at, extract(epoch from deadline_at - clock_timestamp())::float8 as left
         from activity.runs where id = $1`,
        [id],
      );
      return rows[0];
    };
    const run = await trigger();
    const assigned = await claim();
    assert.equal((await deadline(run.id))?.at, null);
    await runs().heartbeat(assigned);
    const first = await deadline(run.id);
    assert.ok(first?.left && first.left > 800 && first.left <= 900, "15 minutes from now");
    await runs().progress(assigned.map((each) => ({ ...each, progress: 0.5, stage: undefined })));
    assert.deepEqual((await deadline(run.id))?.at, first.at);
    await finish(assigned);
  });

  for (const seen of [false, true])
    test(`a run with a short timeout whose worker is ${seen ? "gone" : "never seen"} is retried`, async () => {
      const run = await trigger("brief");
      const assigned = await claim(brief);
      if (seen) await runs().heartbeat(assigned);
      const { rows } = await service.database.query<{ lease: number }>(
        `update activity.runs set lease_until = lease_until - interval '1 h', deadline_at = deadline_at - interval '1 h'
         where id = $1 returning extract(epoch from lease_until + interval '1 h' - clock_timestamp())::float8 as lease`,
        [run.id],
      );
      assert.ok((rows[0]?.lease ?? 99) <= 16, "the timeout, and the time in which a worker may reconnect");
      assert.equal(await endOverdue([]), 1);
      assert.deepEqual([await status(run.id), (await reads().find(run.id))?.error?.code], ["QUEUED", "CRASHED"]);
      await hurry(run.id);
      await finish(await claim(brief));
      assert.deepEqual(await endsOf(run.id), ["COMPLETED"]);
    });

  test("a waiting run is canceled at once, a running one when its worker stops or its time is over", async () => {
    const waiting = await trigger();
    assert.equal((await runs().cancel(waiting.id))?.status, "CANCELED");
    assert.deepEqual(await claim(), []);
    assert.deepEqual(await endsOf(waiting.id), ["CANCELED"]);

    const heeded = await trigger();
    const assigned = await claim();
    assert.equal((await runs().cancel(heeded.id))?.status, "RUNNING");
    assert.deepEqual(await runs().heartbeat(assigned), ["cancel_requested"]);
    assert.deepEqual(await runs().finish(assigned.map((each) => ({ ...each, outcome: { kind: "canceled" } }))), [true]);
    assert.equal(await status(heeded.id), "CANCELED");
    assert.equal((await runs().cancel(heeded.id))?.status, "CANCELED");

    const ignored = await trigger();
    const kept = await claim();
    await runs().cancel(ignored.id);
    assert.equal(await endOverdue([]), 0);
    await expire("cancel_until", ignored.id);
    await endOverdue([]);
    assert.equal(await status(ignored.id), "CANCELED");
    assert.deepEqual(await finish(kept), [false]);
    assert.deepEqual(await endsOf(ignored.id), ["CANCELED"]);
  });

  test("delayed runs are DELAYED and not claimed before their time", async () => {
    const run = await trigger("plain", { runAt: new Date(Date.now() + 3_600_000) });
    assert.deepEqual(await claim(), []);
    const delayed = await reads().list({ appName: notes, status: "DELAYED", limit: 10 });
    assert.deepEqual(
      delayed.items.map(({ id }) => id),
      [run.id],
    );
    assert.equal(await reads().count({ appName: notes, status: "DELAYED" }), 1);
    await hurry(run.id);
    assert.equal(await finish(await claim()).then((all) => all.length), 1);
  });

  test("the concurrency limit holds for concurrent claims", async () => {
    await Promise.all(Array.from({ length: 10 }, () => trigger("three")));
    const all = await Promise.all(Array.from({ length: 5 }, () => claim(three, 2)));
    assert.equal(all.flat().length, 3);
    await finish(all.flat().slice(0, 1));
    const next = await claim(three);
    assert.equal(next.length, 1);
    for (let assigned = [...all.flat().slice(1), ...next]; assigned.length > 0; assigned = await claim(three))
      await finish(assigned);
  });

  test("runs of one singleton key never overlap, also of different activities", async () => {
    await Promise.all([trigger("left"), trigger("right"), trigger("left")]);
    for (let total = 0; total < 3; total += 1) {
      const assigned = (await Promise.all([claim(left), claim(right), claim(left)])).flat();
      assert.equal(assigned.length, 1);
      await finish(assigned);
    }
  });

  test("two replicas that claim at once share the runs", async () => {
    await Promise.all(Array.from({ length: 40 }, () => trigger()));
    const other = await service.replica();
    const request = { appName: notes, definition: plain, limit: 30 };
    const [mine, theirs] = await Promise.all([runs().claim(request), other.context.runs.claim(request)]);
    const ids = [...mine, ...theirs].map(({ run }) => run.id);
    assert.equal(new Set(ids).size, ids.length);
    const rest = await claim(plain, 100);
    assert.equal(ids.length + rest.length, 40);
    await finish([...rest, ...[...mine, ...theirs].map(({ run }) => ({ appName: notes, runId: run.id, attempt: 1 }))]);
  });

  test("a run that never reached a worker is returned to the queue, and the attempt does not count", async () => {
    const run = await trigger();
    await runs().release(await claim());
    assert.equal((await reads().find(run.id))?.attempt, 0);
    const assigned = await claim();
    assert.equal(assigned[0]?.attempt, 1);
    await finish(assigned);
  });

  test("progress is visible, the last of several reports is stored, and a broken stream has time to reconnect", async () => {
    const run = await trigger();
    const [assigned] = await claim();
    assert.ok(assigned);
    const report = (progress: number) => ({ ...assigned, progress, stage: `at ${progress}` });
    assert.deepEqual(await runs().progress([report(0.2), report(0.5)]), ["assigned", "assigned"]);
    const shown = await reads().find(run.id);
    assert.deepEqual([shown?.progress, shown?.stage], [0.5, "at 0.5"]);
    await runs().disconnected([assigned]);
    const lease = async () =>
      (
        await service.database.query<{ ms: number }>(
          "select extract(epoch from lease_until - now())::float * 1000 as ms from activity.runs where id = $1",
          [run.id],
        )
      ).rows[0]?.ms ?? 0;
    assert.ok((await lease()) <= 15_000);
    await runs().heartbeat([assigned]);
    assert.ok((await lease()) > 50_000);
    await finish([assigned]);
  });

  test("a purge ends waiting runs and deletes finished ones", async () => {
    const waiting = await trigger();
    await finish(await claim());
    const delayed = await trigger("plain", { runAt: new Date(Date.now() + 3_600_000) });
    const queued = await trigger("three");
    for (const _ of [1, 2]) await service.activity.purge(notes);
    for (const { id } of [waiting, delayed, queued]) assert.equal(await reads().find(id), undefined);
    assert.deepEqual(await endsOf(delayed.id), ["CANCELED"]);
    assert.deepEqual(await claim(three), []);
  });

  test("a deletion of the registration also deletes what runs; its worker has lost it", async () => {
    const run = await trigger();
    const [assigned] = await claim();
    assert.ok(assigned);
    for (const _ of [1, 2]) {
      await service.activity.purge(notes);
      await service.activity.forget(notes);
    }
    assert.equal(await reads().find(run.id), undefined);
    assert.deepEqual(await runs().heartbeat([assigned]), ["lost"]);
    assert.deepEqual(await runs().finish([{ ...assigned, outcome: { kind: "completed", output: undefined } }]), [false]);
  });

  test("a run that cannot be ended does not keep the others from being ended", async () => {
    const [first, second, third, fourth] = [await trigger(), await trigger(), await trigger(), await trigger()];
    const poisoned = [first, third].map(({ id }) => id);
    await service.database.query(
      `create function activity.refuse() returns trigger language plpgsql as $$ begin raise exception 'poisoned'; end $$;
       create trigger poisoned before update of finished_at on activity.runs for each row
         when (old.id in ('${poisoned.join("', '")}')) execute function activity.refuse()`,
    );
    const sweeps = new RunSweeps(service.activity.context);
    assert.equal((await claim()).length, 4);
    for (const { id } of [first, second]) await expire("deadline_at", id);
    for (const { id } of [first, second]) await expire("lease_until", id);
    await service.database.query("update activity.runs set attempt = max_retries + 1 where id = any ($1)", [
      [first.id, second.id],
    ]);
    await sweeps.endOverdue([]);
    assert.deepEqual([await status(first.id), await status(second.id)], ["RUNNING", "CRASHED"]);
    await service.database.query(
      "update activity.runs set status = 'QUEUED', scheduled_for = now() - interval '15 days' where id = any ($1)",
      [[third.id, fourth.id]],
    );
    await sweeps.expire();
    assert.deepEqual([await status(third.id), await status(fourth.id)], ["QUEUED", "EXPIRED"]);
    await service.database.query("drop function activity.refuse cascade");
    await new RunSweeps(service.activity.context).endOverdue([]);
    await new RunSweeps(service.activity.context).expire();
    assert.deepEqual([await status(first.id), await status(third.id)], ["CRASHED", "EXPIRED"]);
  });

  test("a run that no worker took in time is EXPIRED; a run finished long ago is deleted", async () => {
    const run = await trigger();
    await service.database.query("update activity.runs set scheduled_for = now() - interval '15 days' where id = $1", [run.id]);
    assert.equal(await runs().expire(await runs().expired([])), 1);
    assert.equal(await status(run.id), "EXPIRED");
    assert.deepEqual(await claim(), []);
    await service.database.query("update activity.runs set finished_at = now() - interval '8 days' where id = $1", [run.id]);
    assert.equal(await runs().purge(), 1);
    assert.equal(await reads().find(run.id), undefined);
  });
});
