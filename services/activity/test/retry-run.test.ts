import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { GetRunRequestSchema } from "@appserver/contracts/proto/appserver/v2/activity";
import { type Caller, isAppError, SystemClock } from "@appserver/kernel";
import { callBy, rejectsWith, SqlAuditLog } from "@appserver/testing/kit";
import { create } from "@bufbuild/protobuf";
import type { Outcome } from "../src/domain/run-outcome.ts";
import type { ActivityContext } from "../src/use-cases/context.ts";
import { cancelRun } from "../src/use-cases/read-runs.ts";
import { retryRun } from "../src/use-cases/retry-run.ts";
import { triggerActivity } from "../src/use-cases/trigger-activity.ts";
import { admin, app, notes, startActivity, type TestActivity, testDefinition, unknown } from "./fixtures.ts";

const once = testDefinition({ name: "once", maxRetries: 0 });
const input = { text: "gewöhnlich", list: [1, null] };

describe("a retry of a run", () => {
  let service: TestActivity;
  let context: ActivityContext;

  beforeEach(async () => {
    service = await startActivity([once]);
    context = service.activity.context;
  });
  afterEach(() => service.stop());

  const trigger = (more: { readonly runAt?: Date; readonly idempotencyKey?: string; readonly input?: unknown } = {}) =>
    triggerActivity(context, { appName: notes, activity: "once", input, ...more }, callBy(app));
  const claim = async () => {
    const [claimed] = await context.runs.claim({ appName: notes, definition: once, limit: 1 });
    return claimed ?? assert.fail("nothing waits");
  };
  const finish = async (outcome: Outcome) => {
    const { run } = await claim();
    assert.deepEqual(await context.runs.finish([{ appName: notes, runId: run.id, attempt: run.attempt, outcome }]), [true]);
  };
  const ended = async (outcome: Outcome) => {
    const run = await trigger();
    if (outcome.kind === "canceled") await cancelRun(context, run.id, callBy(app));
    else await finish(outcome);
    return run.id;
  };
  const failed: Outcome = { kind: "failed", error: { code: "BROKEN", message: "no paper" } };
  const retry = (id: string, caller: Caller = admin) => retryRun(context, id, callBy(caller));
  const declare = (activities: Parameters<typeof startActivity>[0]) => {
    const installed = service.apps.get(notes) ?? assert.fail();
    service.apps.set(notes, { ...installed, version: "2.0.0", activities });
  };

  for (const [status, outcome] of [
    ["FAILED", failed],
    ["CANCELED", { kind: "canceled" }],
    ["TIMED_OUT", { kind: "timed_out" }],
    ["CRASHED", { kind: "crashed" }],
    ["COMPLETED", { kind: "completed", output: "7" }],
  ] as const)
    test(`repeats a ${status} run with its input, as a run of its own`, async () => {
      const id = await ended(outcome);
      const before = await context.runReads.find(id);
      assert.equal(before?.status, status);
      const repeated = await retry(id);
      assert.deepEqual([repeated.status, repeated.retryOf, repeated.triggeredBy], ["QUEUED", id, "user:admin"]);
      assert.deepEqual(await context.runReads.find(id), before, "the first run stays as it is");
      const claimed = await claim();
      assert.deepEqual([claimed.run.id, claimed.run.retryOf, claimed.run.attempt], [repeated.id, id, 1]);
      assert.deepEqual(JSON.parse(claimed.input ?? ""), input);
    });

  test("can itself be repeated, and names the run that it repeats; every command starts a run", async () => {
    const first = await ended(failed);
    const second = await retry(first);
    await finish(failed);
    const third = await retry(second.id);
    assert.deepEqual([second.retryOf, third.retryOf], [first, second.id]);
    assert.notEqual((await retry(first)).id, second.id);
    await context.runs.deleteFinished(notes);
    assert.equal((await context.runReads.find(third.id))?.retryOf, second.id);
  });

  test("does not reuse the idempotency key, and repeats a run without input", async () => {
    const { id } = await trigger({ idempotencyKey: "one", input: undefined });
    await finish(failed);
    const repeated = await retry(id);
    assert.notEqual(repeated.id, id);
    assert.equal((await context.runReads.values(repeated.id)).input, undefined);
    assert.equal((await trigger({ idempotencyKey: "one" })).id, id);
  });

  test("uses the current declaration: version, limits and schema of the input", async () => {
    const id = await ended(failed);
    declare([{ ...once, timeoutMs: 5_000, inputSchema: '{"required":["text"]}' }]);
    const repeated = await retry(id);
    assert.deepEqual([repeated.appVersion, repeated.timeoutMs], ["2.0.0", 5_000]);
    declare([{ ...once, inputSchema: '{"required":["title"]}' }]);
    const request = { appName: notes, activity: "once", input };
    const violations = (error: unknown) => isAppError(error, "INVALID_REQUEST") && [error.message, error.violations];
    const ofTrigger = violations(await triggerActivity(context, request, callBy(admin)).catch((error: unknown) => error));
    assert.ok(ofTrigger);
    assert.deepEqual(violations(await retry(id).catch((error: unknown) => error)), ofTrigger);
  });

  test("is refused while the run has not ended", async () => {
    const { id: delayed } = await trigger({ runAt: new Date(Date.now() + 3_600_000) });
    await assert.rejects(retry(delayed), rejectsWith("INVALID_STATE", new RegExp(`run ${delayed} is DELAYED`)));
    const { id } = await trigger();
    await assert.rejects(retry(id), rejectsWith("INVALID_STATE", new RegExp(`run ${id} is QUEUED`)));
    await claim();
    await assert.rejects(retry(id), rejectsWith("INVALID_STATE", new RegExp(`run ${id} is RUNNING`)));
    assert.equal(await context.runReads.count({ appName: notes, status: undefined }), 2);
  });

  test("is refused without the permission, and for unknown runs and activities", async () => {
    const id = await ended(failed);
    for (const [caller, code] of [
      [{ kind: "user", id: "bob", displayName: "Bob" }, "PERMISSION_DENIED"],
      [{ kind: "app", name: "com.example.clock", id: "2" }, "NOT_FOUND"],
      [{ kind: "anonymous" }, "AUTHENTICATION_REQUIRED"],
    ] as const)
      for (const run of [id, unknown]) await assert.rejects(retry(run, caller), rejectsWith(code));
    for (const missing of [unknown, "not-an-id"])
      await assert.rejects(retry(missing), rejectsWith("NOT_FOUND", new RegExp(`there is no run "${missing}"`)));
    assert.equal((await retry(id, app)).triggeredBy, `app:${notes}`);
    declare([]);
    await assert.rejects(retry(id), rejectsWith("NOT_FOUND", /declares no activity "once"/));
  });

  test("writes the audit entry of a trigger, with the run that it repeats, for users only", async () => {
    const retryOf = await ended(failed);
    const { id: runId } = await retry(retryOf);
    await retry(retryOf, app);
    const log = new SqlAuditLog({ database: service.database, clock: new SystemClock() });
    const entries = await log.read({ target: `app:${notes}`, limit: 50 });
    assert.deepEqual(
      entries.map(({ actor, action, details }) => ({ actor, action, details })),
      [{ actor: "user:admin", action: "activity.trigger", details: { activity: "once", runId, retryOf } }],
    );
  });

  test("is returned on gRPC and GraphQL", async () => {
    const id = await ended(failed);
    const { activity } = service;
    const shown = await activity.resolvers.Mutation.retryActivityRun(undefined, { id }, callBy(admin));
    assert.deepEqual([shown.retryOf, shown.status], [id, "QUEUED"]);
    const first = await activity.resolvers.Query.activityRun(undefined, { id }, callBy(admin));
    assert.equal(first?.retryOf, undefined);
    const get = async (run: string) =>
      (await activity.grpc.getRun(create(GetRunRequestSchema, { id: run }), callBy(admin))).run.retryOf;
    assert.deepEqual([await get(shown.id), await get(id)], [id, undefined]);
  });
});
