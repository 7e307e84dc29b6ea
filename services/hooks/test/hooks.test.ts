import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import type { HookEvent } from "@appserver/contracts/proto/appserver/v2/hooks";
import { webhookKey, webhookSignature } from "@appserver/contracts/webhooks";
import { type AppError, uuidv7 } from "@appserver/kernel";
import type { EventEnvelope } from "@appserver/kernel/ports";
import { createTestDatabase, startTestPostgres, type TestDatabase, type TestPostgres } from "@appserver/testing/kit";
import type { Hooks, HooksPolicy } from "../src/index.ts";
import {
  admin,
  bob,
  callerOf,
  eventually,
  hookApp,
  migrateHooks,
  type Replica,
  startReplica,
  TestApps,
  TestTransport,
} from "./hooks-under-test.ts";
import { Subscriber, type SubscriberOptions } from "./subscriber.ts";

const notes = "com.example.notes";
const clock = "com.example.clock";
const created = `${notes}.created`;
const quick: Partial<HooksPolicy> = { retry: { delaysMs: [50, 50, 50], freeDisconnects: 3 } };
const backend = { url: "http://backend", managed: true };

interface Stored {
  readonly status: string;
  readonly attempt: number;
  readonly failures: number;
}

describe("hooks on PostgreSQL", () => {
  let postgres: TestPostgres;
  let home: TestDatabase;
  let apps: TestApps;
  let replicas: Replica[];
  let subscribers: Subscriber[];

  before(async () => {
    postgres = await startTestPostgres();
  });
  after(() => postgres.stop());
  beforeEach(async () => {
    home = await createTestDatabase(postgres);
    await migrateHooks(home.database);
    apps = new TestApps();
    replicas = [];
    subscribers = [];
  });
  afterEach(async () => {
    for (const subscriber of subscribers) await subscriber.vanish();
    for (const replica of replicas) await replica.stop();
    await home.stop();
  });

  const start = async (policy: Partial<HooksPolicy> = {}, transport = new TestTransport()): Promise<Hooks> => {
    const replica = await startReplica(home.database, apps, policy, transport);
    replicas.push(replica);
    return replica.hooks;
  };
  const subscribe = async (hooks: Hooks, name: string, options: SubscriberOptions = {}): Promise<Subscriber> => {
    const before = await streamCount();
    const subscriber = new Subscriber(hooks, callerOf(name), options);
    subscribers.push(subscriber);
    await eventually(streamCount, (count) => count > before);
    return subscriber;
  };
  const streamCount = async () => (await home.database.query("SELECT 1 FROM hooks.streams")).count;
  const known = (subscriptions: number) =>
    eventually(
      async () => (await home.database.query("SELECT 1 FROM hooks.subscriptions")).count,
      (count) => count === subscriptions,
    );
  const trigger = (hooks: Hooks, data: unknown = {}, orderingKey?: string, name = created) =>
    hooks.trigger({ name, data, orderingKey, caller: callerOf(notes) });
  const stored = async (): Promise<readonly Stored[]> =>
    (await home.database.query<Stored>("SELECT status, attempt, failures FROM hooks.deliveries ORDER BY id")).rows;
  const statuses = async () => (await stored()).map(({ status }) => status);
  const allAre = (status: string, count: number) =>
    eventually(statuses, (seen) => seen.length === count && seen.every((each) => each === status));
  const rejectsWith = (code: string, match: RegExp) => (error: unknown) => {
    assert.equal((error as AppError).code, code);
    assert.match((error as AppError).message, match);
    return true;
  };
  const declared = (...hookNames: readonly string[]) => Object.fromEntries(hookNames.map((name) => [name, undefined]));

  test("an accepted trigger is one event on the bus and one delivery for each subscriber", async () => {
    apps.put(hookApp(notes), hookApp(clock, declared(created)), hookApp("other", declared("other.done")));
    const hooks = await start();
    await known(2);
    const { eventId, deliveries } = await trigger(hooks, { id: 7, text: "zero \u0000, ünï" });
    assert.deepEqual(
      deliveries.map(({ appName }) => appName),
      [clock],
    );
    assert.deepEqual(await stored(), [{ status: "PENDING", attempt: 0, failures: 0 }]);
    const { rows } = await home.database.query<{ event: EventEnvelope }>("SELECT event FROM platform.outbox");
    const { body, type, subject, actor } = rows[0]?.event ?? assert.fail();
    assert.deepEqual([rows.length, type, subject, actor], [1, "hook.triggered", notes, `app:${notes}`]);
    assert.deepEqual([body["hookId"], body["hookName"], body["sourceApp"]], [eventId, created, notes]);
    assert.deepEqual(body["data"], { id: 7, text: "zero \u0000, ünï" });
  });

  test("a stream gets what waited for it and what comes, acknowledges it, and does not get it again", async () => {
    apps.put(hookApp(notes), hookApp(clock, declared(created)));
    const hooks = await start();
    await known(1);
    const { eventId } = await trigger(hooks, { number: 1 });
    const subscriber = await subscribe(hooks, clock);
    const second = await trigger(hooks, { number: 2 });
    await allAre("DELIVERED", 2);
    assert.deepEqual(subscriber.ids, [eventId, second.eventId]);
    const [first] = subscriber.events;
    assert.deepEqual([first?.hookName, first?.sourceApp, first?.attempt], [created, notes, 1]);
    const page = await hooks.resolvers.Query.hookDeliveries(undefined, { appName: clock }, { caller: admin });
    assert.deepEqual(
      page.edges[0]?.node.attempts.map(({ outcome }) => outcome),
      ["SUCCESS"],
    );
  });

  test("a stream subscribes to what it names, and keeps being subscribed while its app restarts", async () => {
    apps.put(hookApp(notes), hookApp(clock));
    const hooks = await start();
    const subscriber = await subscribe(hooks, clock, { hookNames: [created] });
    await trigger(hooks, "now");
    await allAre("DELIVERED", 1);
    await subscriber.vanish();
    await trigger(hooks, "while it was away");
    await trigger(hooks, "of another name", undefined, `${notes}.deleted`);
    const again = await subscribe(hooks, clock, { hookNames: [created] });
    await allAre("DELIVERED", 2);
    assert.equal(again.events.length, 1);
  });

  test("RETRY is tried again until the retries are spent; then it is dead, and can be sent again", async () => {
    apps.put(hookApp(notes), hookApp(clock));
    const hooks = await start(quick);
    let answer: "RETRY" | "SUCCESS" = "RETRY";
    const subscriber = await subscribe(hooks, clock, { hookNames: [created], answer: () => answer });
    await trigger(hooks);
    await allAre("DEAD", 1);
    assert.deepEqual(
      subscriber.events.map(({ attempt }) => attempt),
      [1, 2, 3, 4],
    );
    const dead = await hooks.resolvers.Query.hookDeliveries(undefined, { status: "DEAD" }, { caller: admin });
    const id = dead.edges[0]?.node.id ?? "";
    assert.equal(await dead.totalCount(), 1);
    answer = "SUCCESS";
    await assert.rejects(
      hooks.resolvers.Mutation.resendHookDelivery(undefined, { id }, { caller: bob }),
      rejectsWith("PERMISSION_DENIED", /hook:trigger/),
    );
    await hooks.resolvers.Mutation.resendHookDelivery(undefined, { id }, { caller: admin });
    await allAre("DELIVERED", 1);
    assert.equal(subscriber.events.at(-1)?.attempt, 5);
  });

  test("DROP ends it, and no acknowledgement in time counts as a failure", async () => {
    apps.put(hookApp(notes), hookApp(clock));
    const hooks = await start({ ...quick, answerTimeoutMs: 200 });
    await subscribe(hooks, clock, {
      hookNames: [created],
      answer: ({ data, attempt }) => (data?.kind.value === "drop" ? "DROP" : attempt === 1 ? undefined : "SUCCESS"),
    });
    await trigger(hooks, "drop");
    await trigger(hooks, "late");
    await eventually(statuses, (seen) => seen.join() === "DROPPED,DELIVERED");
    assert.deepEqual((await stored())[1], { status: "DELIVERED", attempt: 2, failures: 1 });
  });

  test("dead deliveries of a time range are recovered at once", async () => {
    apps.put(hookApp(notes), hookApp(clock));
    const hooks = await start({ retry: { delaysMs: [], freeDisconnects: 0 } });
    let answer: "RETRY" | "SUCCESS" = "RETRY";
    await subscribe(hooks, clock, { hookNames: [created], answer: () => answer });
    await trigger(hooks, 1);
    await trigger(hooks, 2, "key");
    await trigger(hooks, 3, "key");
    await allAre("DEAD", 3);
    answer = "SUCCESS";
    const recover = (since: number, until?: number) =>
      hooks.resolvers.Mutation.recoverHookDeliveries(
        undefined,
        { hookName: created, since: new Date(since).toISOString(), ...(until ? { until: new Date(until).toISOString() } : {}) },
        { caller: admin },
      );
    assert.equal(await recover(0, Date.now() - 3_600_000), 0);
    assert.equal(await recover(Date.now() - 3_600_000, Date.now() + 1000), 3);
    await allAre("DELIVERED", 3);
    await assert.rejects(recover(Date.now(), Date.now() - 1), rejectsWith("INVALID_REQUEST", /since/));
  });

  test("in order per key; a key that fails holds up no other", async () => {
    apps.put(hookApp(notes), hookApp(clock));
    const hooks = await start({ retry: { delaysMs: [100, 100], freeDisconnects: 3 } });
    const seen: string[] = [];
    const othersAreDone = Promise.withResolvers<void>();
    let failed = false;
    const answer = async ({ data }: HookEvent): Promise<"RETRY" | "SUCCESS"> => {
      const text = String(data?.kind.value);
      if (text === "a0" && !failed) {
        failed = true;
        await othersAreDone.promise;
        return "RETRY";
      }
      seen.push(text);
      return "SUCCESS";
    };
    await subscribe(hooks, clock, { hookNames: [created], maxInFlight: 20, answer });
    // Together, so that they are stored in few transactions.
    const numbers = Array.from({ length: 10 }, (_, number) => number);
    await Promise.all(numbers.flatMap((number) => ["a", "b", "c"].map((key) => trigger(hooks, `${key}${number}`, key))));
    await eventually(
      () => seen.length,
      (length) => length === 20,
    );
    assert.equal(
      seen.some((text) => text.startsWith("a")),
      false,
    );
    othersAreDone.resolve();
    await allAre("DELIVERED", 30);
    for (const key of ["a", "b", "c"]) {
      const own = seen.filter((text) => text.startsWith(key));
      assert.deepEqual(
        own,
        numbers.map((number) => `${key}${number}`),
      );
    }
  });

  test("a subscriber that takes nothing slows nobody else", async () => {
    apps.put(hookApp(notes), hookApp(clock), hookApp("slow"));
    const hooks = await start();
    await subscribe(hooks, "slow", { hookNames: [created], answer: () => undefined });
    const subscriber = await subscribe(hooks, clock, { hookNames: [created] });
    await Promise.all(Array.from({ length: 100 }, (_, number) => trigger(hooks, number)));
    await eventually(
      () => subscriber.events.length,
      (count) => count === 100,
    );
    const rows = await eventually(statuses, (seen) => seen.filter((status) => status === "DELIVERED").length === 100);
    assert.equal(rows.filter((status) => status === "SENDING").length, 10, "as many as it may have unacknowledged");
  });

  test("what a stream left open comes again at once, and no retry is counted", async () => {
    apps.put(hookApp(notes), hookApp(clock));
    const hooks = await start();
    const first = await subscribe(hooks, clock, { hookNames: [created], answer: () => undefined });
    const { eventId } = await trigger(hooks);
    await eventually(
      () => first.ids,
      (ids) => ids.length === 1,
    );
    await first.vanish();
    const second = await subscribe(hooks, clock, { hookNames: [created] });
    await allAre("DELIVERED", 1);
    assert.deepEqual([second.ids, (await stored())[0]?.failures], [[eventId], 0]);
  });

  test("a stream on any replica gets what was triggered on another", async () => {
    apps.put(hookApp(notes), hookApp(clock));
    const [one, two] = [await start(), await start()];
    const subscriber = await subscribe(two, clock, { hookNames: [created] });
    const { eventId } = await trigger(one);
    await allAre("DELIVERED", 1);
    assert.deepEqual(subscriber.ids, [eventId]);
  });

  test("what a dead replica was sending goes out from another", async () => {
    apps.put(hookApp(notes), hookApp(clock, declared(created)));
    const hooks = await start();
    await known(1);
    await trigger(hooks);
    // As a process leaves it that was killed a minute ago.
    const dead = uuidv7();
    await home.database.query(
      `UPDATE hooks.deliveries SET status = 'SENDING', attempt = 1, due_at = now() + interval '1 hour', claimed_by = $1`,
      [dead],
    );
    await home.database.query("INSERT INTO hooks.replicas (id, seen_at) VALUES ($1, now() - interval '1 minute')", [dead]);
    const subscriber = await subscribe(hooks, clock);
    await allAre("DELIVERED", 1);
    assert.deepEqual(
      subscriber.events.map(({ attempt }) => attempt),
      [2],
    );
    const [delivery] = (await hooks.resolvers.Query.hookDeliveries(undefined, {}, { caller: admin })).edges;
    assert.deepEqual(
      delivery?.node.attempts.map(({ outcome }) => outcome),
      ["LOST", "SUCCESS"],
    );
  });

  test("without a stream it is posted, signed, with the id of the event", async () => {
    apps.put(hookApp(notes), hookApp(clock, { [created]: "/on-note?x=1" }, backend));
    const transport = new TestTransport();
    const hooks = await start({}, transport);
    await known(1);
    const { eventId } = await trigger(hooks, { id: 1 }, "key");
    await allAre("DELIVERED", 1);
    const [post] = transport.posts;
    assert.deepEqual([transport.posts.length, post?.path, post?.backend], [1, "/on-note?x=1", backend]);
    const { headers = {}, body = new Uint8Array() } = post?.request ?? {};
    const { timestamp: _, ...parsed } = JSON.parse(Buffer.from(body).toString());
    const expected = { type: created, id: eventId, sourceApp: notes, orderingKey: "key", attempt: 1, data: { id: 1 } };
    assert.deepEqual(parsed, expected);
    const { secret } = await hooks
      .grpc(() => ({ caller: callerOf(clock), signal: new AbortController().signal }))
      .getPushSecret({}, undefined);
    const signature = webhookSignature(webhookKey(secret), eventId, headers["webhook-timestamp"] ?? "", body);
    assert.deepEqual([headers["webhook-id"], headers["webhook-signature"]], [eventId, signature]);
  });

  test("an open stream takes what would be posted; when it is gone, it is posted again", async () => {
    apps.put(hookApp(notes), hookApp(clock, { [created]: "/on-note" }, backend));
    const transport = new TestTransport();
    const hooks = await start({}, transport);
    const subscriber = await subscribe(hooks, clock);
    await known(1);
    await trigger(hooks);
    await allAre("DELIVERED", 1);
    assert.deepEqual([subscriber.events.length, transport.posts.length], [1, 0]);
    await subscriber.vanish();
    await trigger(hooks);
    await allAre("DELIVERED", 2);
    assert.equal(transport.posts.length, 1);
  });

  test("410 ends the subscription until the app is another version; Retry-After is kept", async () => {
    apps.put(hookApp(notes), hookApp(clock, { [created]: "/on-note" }, backend));
    const transport = new TestTransport();
    const hooks = await start(quick, transport);
    await known(1);
    transport.answer = () => ({ status: 503, retryAfter: "3600" });
    await trigger(hooks);
    await allAre("RETRYING", 1);
    const { edges } = await hooks.resolvers.Query.hookDeliveries(undefined, {}, { caller: admin });
    const pause = Date.parse(edges[0]?.node.nextAttemptAt ?? "") - Date.now();
    assert.ok(pause > 3_500_000 && pause <= 3_600_000, `due again in ${pause} ms`);
    transport.answer = () => ({ status: 410, retryAfter: undefined });
    await trigger(hooks);
    await allAre("DEAD", 2);
    assert.equal((await trigger(hooks)).deliveries.length, 0);
    const again = { ...hookApp(clock, { [created]: "/on-note" }, backend), declaredBy: "1.0.1#2" };
    apps.put(again);
    await hooks.onCreate({ app: again, operationId: uuidv7(), actor: undefined });
    assert.equal((await trigger(hooks)).deliveries.length, 1);
  });

  test("an app that was uninstalled is forgotten with what was open for it", async () => {
    apps.put(hookApp(notes), hookApp(clock, declared(created)));
    const first = await start();
    await known(1);
    await trigger(first);
    apps.known.delete(clock);
    await start();
    await allAre("DROPPED", 1);
    assert.equal((await trigger(first)).deliveries.length, 0);
  });

  describe("who may trigger what", () => {
    const refused = async (name: string, caller: Parameters<Hooks["trigger"]>[0]["caller"], code: string, match: RegExp) => {
      apps.put(hookApp("com.example"), hookApp(notes));
      const hooks = await start();
      await assert.rejects(hooks.trigger({ name, data: null, caller }), rejectsWith(code, match));
      assert.equal((await home.database.query("SELECT 1 FROM hooks.events")).count, 0);
    };
    test("an app not another's", () => refused("com.example.other", callerOf(notes), "PERMISSION_DENIED", /begin with/));
    test("nor one of a longer name below its own", () =>
      refused(created, callerOf("com.example"), "PERMISSION_DENIED", /begin with/));
    test("nor the platform's", () => refused("app.on_create", callerOf("app"), "PERMISSION_DENIED", /begin with/));
    test("a user without the permission none", () => refused(created, bob, "PERMISSION_DENIED", /hook:trigger/));
    test("nobody none", () => refused(created, { kind: "anonymous" }, "AUTHENTICATION_REQUIRED", /hook:trigger/));
    test("no hook of an app that is not there", () => refused("nowhere.created", admin, "INVALID_REQUEST", /installed app/));
    test("no name that is none", () => refused("No Name", admin, "INVALID_REQUEST", /name/));

    test("an app its own, a user with the permission any, with data up to 256 KiB", async () => {
      apps.put(hookApp(notes));
      const hooks = await start();
      await trigger(hooks, "x".repeat(256 * 1024 - 2));
      await hooks.trigger({ name: "app.maintenance", data: null, caller: admin });
      await assert.rejects(trigger(hooks, "x".repeat(256 * 1024 - 1)), rejectsWith("INVALID_REQUEST", /262144 bytes.*262145/));
      await assert.rejects(trigger(hooks, 1, "\u0000"), rejectsWith("INVALID_REQUEST", /ordering_key/));
    });
  });

  describe("app.on_create", () => {
    const installing = hookApp("com.example.new");
    const onCreate = (hooks: Hooks, operationId = uuidv7()) =>
      hooks.onCreate({ app: installing, operationId, actor: "user:admin" });

    test("waits for those who can be reached, and tells them which app", async () => {
      apps.put(hookApp("watcher", declared("app.on_create")), hookApp("away", declared("app.on_create")));
      const hooks = await start();
      const watcher = await subscribe(hooks, "watcher");
      await known(2);
      const operationId = uuidv7();
      await onCreate(hooks, operationId);
      assert.deepEqual(watcher.ids, [operationId]);
      assert.deepEqual(await statuses(), ["PENDING", "DELIVERED"]);
      await onCreate(hooks, operationId);
      assert.equal(watcher.events.length, 1, "an installation that is resumed asks nobody twice");
    });

    test("one that refuses fails it with the reason; what is open is dropped", async () => {
      apps.put(hookApp("watcher", declared("app.on_create")), hookApp("away", declared("app.on_create")));
      const hooks = await start();
      await subscribe(hooks, "watcher", { answer: () => "DROP" });
      await known(2);
      await assert.rejects(onCreate(hooks), rejectsWith("UPSTREAM_ERROR", /watcher refused it/));
      assert.deepEqual(await statuses(), ["DROPPED", "DROPPED"]);
    });

    test("one that is late fails it", async () => {
      apps.put(hookApp("watcher", declared("app.on_create")));
      const hooks = await start({ onCreateTimeoutMs: 300 });
      await subscribe(hooks, "watcher", { answer: () => "RETRY" });
      await known(1);
      await assert.rejects(
        onCreate(hooks),
        rejectsWith("UPSTREAM_TIMEOUT", /watcher did not take it within 300 ms: .*another try/),
      );
    });
  });

  test("only apps get streams, and a stream's mistakes end it with their reason", async () => {
    const hooks = await start();
    for (const [options, field] of [
      [{ hookNames: ["No Name"] }, "hook_names[0]"],
      [{ maxInFlight: 0 }, "max_in_flight"],
    ] as const) {
      const refused = new Subscriber(hooks, callerOf(clock), options);
      await assert.rejects(refused.over, (error: AppError) => error.violations[0]?.field === field);
    }
    await assert.rejects(new Subscriber(hooks, bob).over, rejectsWith("PERMISSION_DENIED", /hook:view/));
    const subscriber = await subscribe(hooks, clock, { hookNames: [created] });
    subscriber.acknowledge("x", "UNSPECIFIED");
    await assert.rejects(subscriber.over, rejectsWith("INVALID_REQUEST", /SUCCESS, RETRY or DROP/));
  });

  test("an app sees what goes to it and what came from it; pages go on where they ended", async () => {
    apps.put(hookApp(notes), hookApp(clock), hookApp("other"));
    const hooks = await start();
    for (const name of [clock, "other"]) await subscribe(hooks, name, { hookNames: [created] });
    for (let number = 0; number < 3; number += 1) await trigger(hooks, number);
    await allAre("DELIVERED", 6);
    const list = async (name: string, after?: string) => {
      const page = await hooks.resolvers.Query.hookDeliveries(
        undefined,
        { first: 2, ...(after ? { after } : {}) },
        { caller: callerOf(name) },
      );
      return { ...page, total: await page.totalCount() };
    };
    assert.deepEqual([(await list(notes)).total, (await list(clock)).total, (await list("stranger")).total], [6, 3, 0]);
    const first = await list(clock);
    assert.deepEqual([first.edges.length, first.pageInfo.hasNextPage], [2, true]);
    const last = await list(clock, first.pageInfo.endCursor ?? "");
    assert.deepEqual([last.edges.length, last.pageInfo.hasNextPage], [1, false]);
  });

  test("what is over is deleted after its time, dead letters later, what is open never", async () => {
    apps.put(hookApp(notes), hookApp(clock, declared(created)));
    await start();
    const insert = (status: string, days: number, due: string | null) =>
      home.database.query(
        `WITH event AS (INSERT INTO hooks.events (id, hook_name, data, triggered_at, triggered_by)
           VALUES (gen_random_uuid(), 'a.b', 'null', now() - $2 * interval '1 day', 'test') RETURNING id)
         INSERT INTO hooks.deliveries (event_id, hook_name, app_name, status, due_at, updated_at)
         SELECT id, 'a.b', 'nobody', $1, $3::timestamptz, now() - $2 * interval '1 day' FROM event`,
        [status, days, due],
      );
    for (const days of [6, 8, 31]) {
      await insert("DELIVERED", days, null);
      await insert("DEAD", days, null);
      await insert("PENDING", days, "infinity");
    }
    await start();
    await eventually(
      async () => (await statuses()).sort().join(),
      (seen) => seen === "DEAD,DEAD,DELIVERED,PENDING,PENDING,PENDING",
    );
    await eventually(
      async () => (await home.database.query("SELECT 1 FROM hooks.events")).count,
      (count) => count === 6,
    );
  });
});
