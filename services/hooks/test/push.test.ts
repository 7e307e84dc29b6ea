import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { forwardSignature } from "@appserver/contracts/forwarding";
import { webhookKey, webhookSignature } from "@appserver/contracts/webhooks";
import { callBy, eventually } from "@appserver/testing/kit";
import { clock, created, hooksHome, notes, quick, trigger } from "./hooks-home.ts";
import { admin, callerOf, declare, forwardKey, hookApp, TestTransport } from "./hooks-under-test.ts";

const backend = { url: "http://backend/base", managed: true };

describe("hooks on PostgreSQL", () => {
  const home = hooksHome();

  test("without a stream a delivery is posted, signed, with the id of the event", async () => {
    home.apps.put(hookApp(notes), hookApp(clock, { [created]: "/on-note?x=1" }, backend));
    const transport = new TestTransport();
    const hooks = await home.start({}, transport);
    const { eventId } = await trigger(hooks, { id: 1 }, "key");
    await home.allAre("DELIVERED", 1);
    const [post] = transport.posts;
    assert.deepEqual([transport.posts.length, post?.path, post?.backend], [1, "/on-note?x=1", backend]);
    const { headers = {}, body = new Uint8Array() } = post?.request ?? {};
    const { timestamp: _, ...parsed } = JSON.parse(Buffer.from(body).toString());
    const expected = { type: created, id: eventId, sourceApp: notes, orderingKey: "key", attempt: 1, data: { id: 1 } };
    assert.deepEqual(parsed, expected);
    const { secret } = await hooks.grpc.getPushSecret({}, callBy(callerOf(clock)));
    const signature = webhookSignature(webhookKey(secret), eventId, headers["webhook-timestamp"] ?? "", body);
    assert.deepEqual([headers["webhook-id"], headers["webhook-signature"]], [eventId, signature]);
    // Backends refuse what the platform has not signed, before they look at hooks.
    const forwarded = { method: "POST", target: "/base/on-note?x=1", userId: "", appName: "" };
    const expectedForward = forwardSignature(forwardKey, Number(headers["webhook-timestamp"]), forwarded);
    assert.equal(headers["x-appserver-signature"], expectedForward);
  });

  test("an open stream receives the deliveries instead of POSTs; when it closes, they are posted again", async () => {
    home.apps.put(hookApp(notes), hookApp(clock, { [created]: "/on-note" }, backend));
    const transport = new TestTransport();
    const hooks = await home.start({}, transport);
    const subscriber = await home.subscribe(hooks, clock);
    await trigger(hooks);
    await home.allAre("DELIVERED", 1);
    assert.deepEqual([subscriber.events.length, transport.posts.length], [1, 0]);
    await subscriber.vanish();
    await trigger(hooks);
    await home.allAre("DELIVERED", 2);
    assert.equal(transport.posts.length, 1);
  });

  test("deliveries to an app without a backend, as a disabled app, wait, and are posted once it has one", async () => {
    const [disabled, other] = [hookApp(clock, { [created]: "/on-note" }), hookApp("other", { [created]: "/other" }, backend)];
    home.apps.put(hookApp(notes), disabled, other);
    const transport = new TestTransport();
    const hooks = await home.start({}, transport);
    await trigger(hooks);
    const are = (expected: string) =>
      eventually(
        async () => (await home.statuses()).sort().join(),
        (seen) => seen === expected,
      );
    await are("DELIVERED,PENDING");
    home.apps.put({ ...disabled, backend });
    hooks.appChanged(clock);
    await are("DELIVERED,DELIVERED");
    assert.deepEqual(
      transport.posts.map(({ path }) => path),
      ["/other", "/on-note"],
    );
  });

  test("410 ends the subscription until the app has another version; Retry-After is respected", async () => {
    home.apps.put(hookApp(notes), hookApp(clock, { [created]: "/on-note" }, backend));
    const transport = new TestTransport();
    const hooks = await home.start(quick, transport);
    transport.answer = () => ({ status: 503, retryAfter: "3600" });
    await trigger(hooks);
    await home.allAre("RETRYING", 1);
    const { edges } = await hooks.resolvers.Query.hookDeliveries(undefined, {}, callBy(admin));
    const pause = Date.parse(String(edges[0]?.node.nextAttemptAt)) - Date.now();
    assert.ok(pause > 3_500_000 && pause <= 3_600_000, `due again in ${pause} ms`);
    transport.answer = () => ({ status: 410, retryAfter: undefined });
    await trigger(hooks);
    await home.allAre("DEAD", 2);
    assert.equal((await trigger(hooks)).deliveries.length, 0);
    const again = { ...hookApp(clock, { [created]: "/on-note" }, backend), declaredBy: "1.0.1#2" };
    home.apps.put(again);
    await declare(home.database, hooks, again);
    assert.equal((await trigger(hooks)).deliveries.length, 1);
  });
});
