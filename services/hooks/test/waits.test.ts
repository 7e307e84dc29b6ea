import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { eventually } from "@appserver/testing/kit";
import { endWaits } from "../src/adapters/end-waits.ts";
import { clock, created, hooksHome, notes, trigger } from "./hooks-home.ts";
import { hookApp, TestTransport } from "./hooks-under-test.ts";

const backend = { url: "http://backend", managed: true };
/** A wait that no test outlives. */
const slow = { retry: { delaysMs: [3_600_000, 3_600_000, 3_600_000], freeDisconnects: 0 } };

describe("the wait of retries on PostgreSQL", () => {
  const home = hooksHome();

  /** Three events of a key that wait for an app that was unreachable. `numbers`: what was posted to it since. */
  const waiting = async (answer: () => { readonly status: number; readonly retryAfter: string | undefined }) => {
    const subscriber = { ...hookApp(clock, { [created]: "/on-note" }, backend), isHealthy: true };
    home.apps.put(hookApp(notes), subscriber);
    const transport = new TestTransport();
    transport.answer = answer;
    const hooks = await home.start(slow, transport);
    for (const number of [1, 2, 3]) await trigger(hooks, number, "key");
    await eventually(
      () => home.statuses(),
      (seen) => seen.join() === "RETRYING,PENDING,PENDING",
    );
    transport.posts.length = 0;
    const numbers = () =>
      transport.posts.map(({ request }) => (JSON.parse(Buffer.from(request.body).toString()) as { data: number }).data);
    return { hooks, transport, numbers, subscriber };
  };
  const refused = (): never => {
    throw new Error("connect ECONNREFUSED");
  };
  const accepted = () => ({ status: 200, retryAfter: undefined });

  test("ends with a success to the same app, and the key continues in its order", async () => {
    const { hooks, transport, numbers } = await waiting(refused);
    transport.answer = accepted;
    await trigger(hooks, 4);
    await home.allAre("DELIVERED", 4);
    assert.deepEqual(numbers(), [4, 1, 2, 3]);
  });

  test("ends when the app is seen healthy again", async () => {
    const { hooks, transport, numbers, subscriber } = await waiting(refused);
    home.apps.put({ ...subscriber, isHealthy: false });
    hooks.appChanged(clock);
    transport.answer = accepted;
    home.apps.put(subscriber);
    hooks.appChanged(clock);
    await home.allAre("DELIVERED", 3);
    assert.deepEqual(numbers(), [1, 2, 3]);
  });

  test("ends early only once, and an early attempt is no retry, so that an event that its app cannot handle keeps its retries", async () => {
    const { hooks, transport } = await waiting(refused);
    transport.answer = (post) =>
      Buffer.from(post.request.body).toString().includes('"data":1')
        ? { status: 500, retryAfter: undefined }
        : { status: 200, retryAfter: undefined };
    const attempts = async () => (await home.stored())[0]?.attempt;
    await trigger(hooks, 4);
    await eventually(attempts, (attempt) => attempt === 2);
    for (const number of [5, 6]) await trigger(hooks, number);
    await eventually(
      () => home.statuses(),
      (seen) => seen.join() === "RETRYING,PENDING,PENDING,DELIVERED,DELIVERED,DELIVERED",
    );
    const [stored] = await home.stored();
    assert.deepEqual([stored?.attempt, stored?.failures], [2, 1]);
  });

  test("lasts as long as the app asked for", async () => {
    const { hooks, transport } = await waiting(() => ({ status: 503, retryAfter: "3600" }));
    transport.answer = accepted;
    await trigger(hooks, 4);
    await eventually(
      () => home.statuses(),
      (seen) => seen.join() === "RETRYING,PENDING,PENDING,DELIVERED",
    );
    assert.equal((await home.stored())[0]?.attempt, 1);
  });

  test("ends early ever more rarely while the early attempts fail, and the newest 50 attempts are kept", async () => {
    await waiting(() => ({ status: 500, retryAfter: undefined }));
    const endedAfter = async (attempts: number, minutes: number): Promise<number> => {
      await home.database.query(
        `update hooks.deliveries set attempt = $1, retry_at = due_at, updated_at = now() - $2 * interval '1 minute',
           attempts = (select jsonb_agg(jsonb_build_object('number', number)) from generate_series(greatest(1, $1 - 49), $1) as number)
         where status = 'RETRYING'`,
        [attempts, minutes],
      );
      return endWaits(home.database, clock, false);
    };
    for (const [attempts, minutes] of [
      [2, 4],
      [4, 19],
      [5, 39],
      [60, 39],
    ] as const)
      assert.equal(await endedAfter(attempts, minutes), 0);
    assert.equal(await endedAfter(60, 41), 1);
    const kept = async () => {
      const { rows } = await home.database.query<{ attempts: readonly { readonly number: number }[] }>(
        "select attempts from hooks.deliveries where attempt = 61 and status = 'RETRYING'",
      );
      return rows[0]?.attempts;
    };
    const attempts = await eventually(kept, (seen) => seen !== undefined);
    assert.deepEqual([attempts?.length, attempts?.[0]?.number, attempts?.at(-1)?.number], [50, 12, 61]);
  });
});
