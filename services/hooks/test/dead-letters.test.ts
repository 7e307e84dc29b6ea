import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Clock, SqlOutbox, SystemClock, uuidv7 } from "@appserver/kernel";
import type { Database, Outbox } from "@appserver/kernel/ports";
import { callBy, eventually } from "@appserver/testing/kit";
import { finishAttempts } from "../src/adapters/finish-attempts.ts";
import type { ClaimedDelivery } from "../src/domain/delivery.ts";
import type { FinishedAttempt } from "../src/ports.ts";
import { clock, created, hooksHome, notes, quick, trigger } from "./hooks-home.ts";
import { admin, hookApp, TestTransport } from "./hooks-under-test.ts";

const backend = { url: "http://backend/base", managed: true };
const error = { code: "UPSTREAM_ERROR", message: "the subscriber responded with 500" };

/** Calls `onStatement` for each statement and each start of a transaction. */
function counted(database: Database, onStatement: () => void): Database {
  const query: Database["query"] = (...args: Parameters<Database["query"]>) => {
    onStatement();
    return database.query(...args) as never;
  };
  const transaction: Database["transaction"] = (work) => {
    onStatement();
    return database.transaction(work);
  };
  return Object.assign(Object.create(database) as Database, { query, transaction });
}

describe("events about dead deliveries", () => {
  const home = hooksHome();
  const systemClock: Clock = new SystemClock();

  test("a delivery without retries left is announced once, without the hook's data; sent again and dead again, once more", async () => {
    const subscriber = hookApp(clock);
    home.apps.put(hookApp(notes), subscriber);
    const hooks = await home.start(quick);
    await home.subscribe(hooks, clock, { hookNames: [created], answer: () => "RETRY" });
    const { eventId } = await trigger(hooks, { text: "private" });
    await home.allAre("DEAD", 1);
    const [letter, ...more] = await home.deadLetters();
    assert.deepEqual([letter?.subject, letter?.source, more], [clock, "/appserver/test", []]);
    const dead = await hooks.resolvers.Query.hookDeliveries(undefined, { status: "DEAD" }, callBy(admin));
    const deliveryId = dead.edges[0]?.node.id ?? "";
    assert.deepEqual(letter?.body, {
      AppName: clock,
      app_name: clock,
      AppID: subscriber.id,
      app_id: subscriber.id,
      version: subscriber.version,
      timestamp: letter?.time,
      deliveryId,
      hookId: eventId,
      hookName: created,
      sourceApp: notes,
      attempts: 4,
      error: { code: "UPSTREAM_ERROR", message: "the subscriber requested a retry" },
    });
    await hooks.resolvers.Mutation.resendHookDelivery(undefined, { id: deliveryId }, callBy(admin));
    await home.allAre("DEAD", 1);
    assert.deepEqual(
      (await home.deadLetters()).map(({ body }) => body["attempts"]),
      [4, 8],
    );
  });

  test("410 announces the delivery that got it and each open delivery of the subscription, and no other", async () => {
    const onNote = { [created]: "/on-note", [`${notes}.other`]: "/other" };
    home.apps.put(hookApp(notes), hookApp(clock, onNote, backend));
    const transport = new TestTransport();
    transport.answer = () => ({ status: 503, retryAfter: "3600" });
    const hooks = await home.start({ retry: { delaysMs: [3_600_000] } }, transport);
    for (const key of [undefined, "key", "key"]) await trigger(hooks, { text: "private" }, key);
    await trigger(hooks, {}, "key", `${notes}.other`);
    const are = (expected: string) =>
      eventually(
        async () => (await home.statuses()).join(),
        (seen) => seen === expected,
      );
    await are("RETRYING,RETRYING,PENDING,PENDING");
    transport.answer = ({ path }) => ({ status: path === "/other" ? 200 : 410, retryAfter: undefined });
    await trigger(hooks, {}, "another key");
    await are("DEAD,DEAD,DEAD,DELIVERED,DEAD");
    const letters = await home.deadLetters();
    assert.equal(new Set(letters.map(({ body }) => body["deliveryId"])).size, 4);
    assert.equal(letters.length, 4);
    for (const { subject, body } of letters) {
      const { code } = body["error"] as { readonly code: string };
      assert.deepEqual([subject, code, body["hookName"], body["sourceApp"]], [clock, "GONE", created, notes]);
      assert.ok(!("data" in body));
    }
  });

  /** Stores a delivery that is being sent, and returns the result of its attempt. */
  const sending = async (step: Partial<FinishedAttempt["step"]>): Promise<FinishedAttempt> => {
    const event = {
      id: uuidv7(),
      hookName: created,
      sourceApp: notes,
      data: "{}",
      triggeredAt: new Date(),
      triggeredBy: "test",
    };
    const { rows } = await home.database.query<{ id: number }>(
      `with event as (insert into hooks.events (id, hook_name, source_app, data, triggered_at, triggered_by)
         values ($1, $2, $3, '{}', now(), 'test') returning id)
       insert into hooks.deliveries (event_id, hook_name, app_name, status, attempt, due_at)
       select id, $2, 'nobody', 'SENDING', 1, now() from event returning id`,
      [event.id, created, notes],
    );
    const delivery: ClaimedDelivery = {
      id: String(rows[0]?.id),
      appName: "nobody",
      orderingGroup: undefined,
      attempt: 1,
      failures: 0,
      disconnects: 0,
      waitLeftMs: 0,
      event: { ...event, orderingKey: undefined, traceparent: undefined },
    };
    return {
      delivery,
      result: step.status === "DELIVERED" ? { outcome: "SUCCESS" } : { outcome: "FAILED", error: error.message },
      step: { status: "DEAD", delayMs: undefined, failures: 1, disconnects: 0, error, ...step },
      startedAt: new Date(),
      durationMs: 1,
      subscriber: step.status === undefined ? { name: "nobody", id: uuidv7(), version: "1.0.0" } : undefined,
    };
  };
  const options = (outbox: Outbox = new SqlOutbox(), database = home.database) => ({
    ...{ database, outbox, source: "/appserver/test", clock: systemClock },
  });

  test("the event and the state are stored together or not at all, and a late result stores neither", async () => {
    const dead = await sending({});
    const full: Outbox = { append: () => Promise.reject(new Error("no room")) };
    await assert.rejects(finishAttempts(options(full), [dead]), /no room/);
    assert.deepEqual([await home.statuses(), await home.deadLetters()], [["SENDING"], []]);
    const late = { ...dead, delivery: { ...dead.delivery, attempt: 0 } };
    await finishAttempts(options(), [late]);
    assert.deepEqual([await home.statuses(), await home.deadLetters()], [["SENDING"], []]);
    const delivered = await sending({ status: "DELIVERED", error: undefined });
    await finishAttempts(options(), [dead, delivered]);
    await finishAttempts(options(), [dead]);
    assert.deepEqual(await home.statuses(), ["DEAD", "DELIVERED"]);
    assert.deepEqual(
      (await home.deadLetters()).map(({ body }) => body["deliveryId"]),
      [dead.delivery.id],
    );
  });

  test("results of deliveries that are not dead cost one statement for the whole batch", async () => {
    let statements = 0;
    const database = counted(home.database, () => {
      statements += 1;
    });
    const outbox: Outbox = { append: () => Promise.reject(new Error("nothing is announced")) };
    const retried = await sending({ status: "RETRYING", delayMs: 60_000 });
    const delivered = await sending({ status: "DELIVERED", error: undefined });
    await finishAttempts(options(outbox, database), [retried, delivered]);
    assert.equal(statements, 1);
    assert.deepEqual(await home.statuses(), ["RETRYING", "DELIVERED"]);
  });

  test("the subscriber of a dead letter may be uninstalled: its name is announced", async () => {
    home.apps.put(hookApp(notes), hookApp(clock));
    const hooks = await home.start({ retry: { delaysMs: [], freeDisconnects: 0 } });
    await home.subscribe(hooks, clock, {
      hookNames: [created],
      answer: () => {
        home.apps.known.delete(clock);
        return "RETRY";
      },
    });
    await trigger(hooks);
    await home.allAre("DEAD", 1);
    const [letter] = await home.deadLetters();
    assert.deepEqual(
      [letter?.subject, letter?.body["AppID"], letter?.body["version"]],
      [clock, "00000000-0000-0000-0000-000000000000", "0"],
    );
  });
});
