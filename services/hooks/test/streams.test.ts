import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { HookEvent } from "@appserver/contracts/proto/appserver/v2/hooks";
import type { AppError } from "@appserver/kernel";
import { callBy, eventually, rejectsWith } from "@appserver/testing/kit";
import { clock, created, declared, hooksHome, notes, trigger } from "./hooks-home.ts";
import { admin, bob, callerOf, hookApp } from "./hooks-under-test.ts";
import { Subscriber } from "./subscriber.ts";

describe("hooks on PostgreSQL", () => {
  const home = hooksHome();

  test("a stream receives waiting and new deliveries, acknowledges them, and does not receive them again", async () => {
    home.apps.put(hookApp(notes), hookApp(clock, declared(created)));
    const hooks = await home.start();
    const { eventId } = await trigger(hooks, { number: 1 });
    const subscriber = await home.subscribe(hooks, clock);
    const second = await trigger(hooks, { number: 2 });
    await home.allAre("DELIVERED", 2);
    assert.deepEqual(subscriber.ids, [eventId, second.eventId]);
    const [first] = subscriber.events;
    assert.deepEqual([first?.hookName, first?.sourceApp, first?.attempt], [created, notes, 1]);
    const page = await hooks.resolvers.Query.hookDeliveries(undefined, { appName: clock }, callBy(admin));
    assert.deepEqual(
      page.edges[0]?.node.attempts.map(({ outcome }) => outcome),
      ["SUCCESS"],
    );
  });

  test("a stream subscribes to the hooks it names, and the subscription stays while its app restarts", async () => {
    home.apps.put(hookApp(notes), hookApp(clock));
    const hooks = await home.start();
    const subscriber = await home.subscribe(hooks, clock, { hookNames: [created] });
    await trigger(hooks, "now");
    await home.allAre("DELIVERED", 1);
    await subscriber.vanish();
    await trigger(hooks, "while it was away");
    await trigger(hooks, "of another name", undefined, `${notes}.deleted`);
    const again = await home.subscribe(hooks, clock, { hookNames: [created] });
    await home.allAre("DELIVERED", 2);
    assert.equal(again.events.length, 1);
  });

  test("a stream on any replica receives hooks triggered on another", async () => {
    home.apps.put(hookApp(notes), hookApp(clock));
    const [one, two] = [await home.start(), await home.start()];
    const subscriber = await home.subscribe(two, clock, { hookNames: [created] });
    const { eventId } = await trigger(one);
    await home.allAre("DELIVERED", 1);
    assert.deepEqual(subscriber.ids, [eventId]);
  });

  test("deliveries are in order per key; a key that fails delays no other", async () => {
    home.apps.put(hookApp(notes), hookApp(clock));
    const hooks = await home.start({ retry: { delaysMs: [100, 100], freeDisconnects: 3 } });
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
    await home.subscribe(hooks, clock, { hookNames: [created], maxInFlight: 20, answer });
    // Concurrently, so that they are stored in few transactions.
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
    await home.allAre("DELIVERED", 30);
    for (const key of ["a", "b", "c"]) {
      const own = seen.filter((text) => text.startsWith(key));
      assert.deepEqual(
        own,
        numbers.map((number) => `${key}${number}`),
      );
    }
  });

  test("a subscriber that takes nothing delays no other", async () => {
    home.apps.put(hookApp(notes), hookApp(clock), hookApp("slow"));
    const hooks = await home.start();
    await home.subscribe(hooks, "slow", { hookNames: [created], answer: () => undefined });
    const subscriber = await home.subscribe(hooks, clock, { hookNames: [created] });
    await Promise.all(Array.from({ length: 100 }, (_, number) => trigger(hooks, number)));
    await eventually(
      () => subscriber.events.length,
      (count) => count === 100,
    );
    const rows = await eventually(
      () => home.statuses(),
      (seen) => seen.filter((status) => status === "DELIVERED").length === 100,
    );
    assert.equal(rows.filter((status) => status === "SENDING").length, 10, "as many as it may have unacknowledged");
  });

  test("deliveries open on a closed stream are sent again at once, and no retry is counted", async () => {
    home.apps.put(hookApp(notes), hookApp(clock));
    const hooks = await home.start();
    const first = await home.subscribe(hooks, clock, { hookNames: [created], answer: () => undefined });
    const { eventId } = await trigger(hooks);
    await eventually(
      () => first.ids,
      (ids) => ids.length === 1,
    );
    await first.vanish();
    const second = await home.subscribe(hooks, clock, { hookNames: [created] });
    await home.allAre("DELIVERED", 1);
    assert.deepEqual([second.ids, (await home.stored())[0]?.failures], [[eventId], 0]);
  });

  test("only apps get streams, and a client's mistake ends its stream with the reason", async () => {
    const hooks = await home.start();
    for (const [options, field] of [
      [{ hookNames: ["No Name"] }, "hook_names[0]"],
      [{ maxInFlight: 0 }, "max_in_flight"],
    ] as const) {
      const refused = new Subscriber(hooks, callerOf(clock), options);
      await assert.rejects(refused.over, (error: AppError) => error.violations[0]?.field === field);
    }
    await assert.rejects(new Subscriber(hooks, bob).over, rejectsWith("PERMISSION_DENIED", /hook:view/));
    const subscriber = await home.subscribe(hooks, clock, { hookNames: [created] });
    subscriber.acknowledge("x", "UNSPECIFIED");
    await assert.rejects(subscriber.over, rejectsWith("INVALID_REQUEST", /SUCCESS, RETRY or DROP/));
  });

  test("streams of one app name at most 1,000 hooks, and those of closed streams stop to count", async () => {
    home.apps.put(hookApp(notes), hookApp(clock));
    const hooks = await home.start();
    const names = (from: number): readonly string[] => Array.from({ length: 100 }, (_, index) => `${clock}.n${from + index}`);
    for (let from = 0; from < 1_000; from += 100) await home.subscribe(hooks, clock, { hookNames: names(from) });
    const refused = new Subscriber(hooks, callerOf(clock), { hookNames: names(1_000) });
    await assert.rejects(refused.over, rejectsWith("RATE_LIMIT_EXCEEDED", /has streams of 1000 hooks already/));
    await home.subscribe(hooks, notes, { hookNames: [created] });
    await home.subscribe(hooks, clock, { hookNames: names(0) });
    await home.database.query(
      "update hooks.subscriptions set stream_seen_at = now() - interval '2 hours' where hook_name = $1",
      [`${clock}.n999`],
    );
    await home.subscribe(hooks, clock, { hookNames: [`${clock}.n1000`] });
  });
});
