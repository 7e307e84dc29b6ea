import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { eventually } from "@appserver/testing/kit";
import { probe } from "../src/adapters/end-waits.ts";
import { clock, created, hooksHome, notes, trigger } from "./hooks-home.ts";
import { hookApp, TestTransport } from "./hooks-under-test.ts";

/** A wait that no test outlives. */
const slow = { retry: { delaysMs: [3_600_000, 3_600_000], freeDisconnects: 0 } };

describe("probes of subscribers that were away", () => {
  const home = hooksHome();

  /** Lets time pass since the last attempts. */
  const quarterPasses = () =>
    home.database.query("update hooks.deliveries set updated_at = updated_at - interval '15 minutes'");
  const mostSent = async () => {
    const text = "select attempt, failures, status, due_at from hooks.deliveries order by attempt desc, due_at limit 1";
    const { rows } = await home.database.query<{ attempt: number; failures: number; status: string; due_at: Date }>(text);
    return rows[0] ?? assert.fail();
  };

  /** Two events that wait for an app that responds as `answer` says. */
  const waiting = async (answer: TestTransport["answer"]): Promise<TestTransport> => {
    home.apps.put(hookApp(notes), hookApp(clock, { [created]: "/on-note" }, { url: "http://backend", managed: true }));
    const transport = new TestTransport();
    transport.answer = answer;
    const hooks = await home.start(slow, transport);
    for (const number of [1, 2]) await trigger(hooks, number);
    await home.allAre("RETRYING", 2);
    return transport;
  };

  test("one delivery is sent when the last attempt is 15 min ago; while it fails, it keeps its retries; then all arrive", async () => {
    const transport = await waiting(() => ({ status: 503, retryAfter: undefined }));
    const before = await mostSent();
    assert.deepEqual(await probe(home.database, [clock]), []);
    await quarterPasses();
    assert.deepEqual(await probe(home.database, [clock, notes]), [clock]);
    assert.deepEqual(await probe(home.database, [clock]), []);
    const failed = await eventually(mostSent, ({ attempt, status }) => attempt === 2 && status === "RETRYING");
    assert.equal(failed.failures, 1);
    assert.ok(Math.abs(failed.due_at.getTime() - before.due_at.getTime()) < 60_000, "it waits for the same retry");
    transport.answer = () => ({ status: 200, retryAfter: undefined });
    await quarterPasses();
    assert.deepEqual(await probe(home.database, [clock]), [clock]);
    await home.allAre("DELIVERED", 2);
  });

  test("a subscriber that asked to wait gets none", async () => {
    await waiting(() => ({ status: 503, retryAfter: "3600" }));
    await quarterPasses();
    assert.deepEqual(await probe(home.database, [clock]), []);
  });

  test("a subscriber with thousands of deliveries that wait gets one probe in 15 min, also from two replicas", async () => {
    await waiting(() => ({ status: 503, retryAfter: undefined }));
    await home.database.query(
      `insert into hooks.deliveries (event_id, hook_name, app_name, status, due_at, attempt, failures, updated_at)
       select event_id, hook_name, app_name, status, due_at + number * interval '1 second', 1, 1, updated_at
       from hooks.deliveries, generate_series(1, 2500) as number`,
    );
    await quarterPasses();
    const both = await Promise.all([probe(home.database, [clock]), probe(home.database, [clock])]);
    assert.deepEqual(both.flat(), [clock]);
    assert.deepEqual(await probe(home.database, [clock]), []);
    await eventually(mostSent, ({ attempt, status }) => attempt === 2 && status === "RETRYING");
    assert.deepEqual(await probe(home.database, [clock]), []);
  });
});
