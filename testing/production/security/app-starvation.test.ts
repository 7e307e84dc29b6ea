import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { SubscribeRequestSchema } from "@appserver/contracts/proto/appserver/v2/hooks";
import { createPlatformClient, type PlatformClient } from "@appserver/sdk";
import { RunningPlatform, send, type TestApp, testApp, untilRouted } from "@appserver/testing/kit";
import { create } from "@bufbuild/protobuf";

const [attacker, other] = ["com.example.attacker", "com.example.other"];
const attackMs = 10_000;

const crowd = (size: number, work: (number: number) => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: size }, (_, number) => work(number)));

/** Opens a stream of a hundred hooks, and reads until it is over or refused. */
async function subscribe({ hooks }: PlatformClient, prefix: string, signal: AbortSignal): Promise<void> {
  const hookNames = Array.from({ length: 100 }, (_, index) => `${prefix}x${index}`);
  const requests = (async function* () {
    yield create(SubscribeRequestSchema, { message: { case: "start", value: { hookNames, maxInFlight: 1_000 } } });
    await sleep(2 * attackMs, undefined, { signal }).catch(() => {});
  })();
  try {
    for await (const _ of hooks.subscribe(requests, { signal, timeoutMs: 0 }));
  } catch {
    // Refused, or over.
  }
}

describe("an app opens thousands of streams of hooks", () => {
  let platform: RunningPlatform;
  const apps = new Map<string, TestApp>();
  before(async () => {
    platform = await RunningPlatform.start({ flags: ["--no-examples"] });
    for (const name of [attacker, other]) {
      const web_app = { api: { base_path: "/", upstream_base_url: "http://127.0.0.1:9" } };
      const app = await testApp({ name, web_app, activities: [{ name: "toil" }] });
      apps.set(name, app);
      await platform.register(app);
      await platform.client().marketplace.installApp({ name });
      await untilRouted(platform.httpUrl, name);
    }
  });
  after(() => platform?.stop());

  const connect = (name: string): PlatformClient => {
    const { keys } = apps.get(name) ?? assert.fail(`${name} is not registered`);
    return createPlatformClient({ grpcUrl: platform.grpcUrl, app: { name, privateKey: keys.privateKey } });
  };

  test("it gets a hundred, and calls of another app succeed", async () => {
    const over = new AbortController();
    const attacking = crowd(30, async (number) => {
      // The signatures of all of them at once would delay this process.
      await sleep(number * 200, undefined, { signal: over.signal }).catch(() => {});
      const client = connect(attacker);
      await crowd(90, (stream) => subscribe(client, `${attacker}.h${number}x${stream}`, over.signal));
    });
    const { hooks, activities } = connect(other);
    let calls = 0;
    for (const begin = performance.now(); performance.now() - begin < attackMs; await sleep(50)) {
      calls += 1;
      const data = { kind: { case: "numberValue" as const, value: calls } };
      await hooks.triggerHook({ name: `${other}.tick`, data });
      await activities.triggerActivity({ activity: "toil", input: data });
      assert.equal((await send(platform.httpUrl, "/ready")).status, 200);
    }
    const { rows } = await platform.onDatabase((sql) =>
      sql.query<{ count: number }>("select count(*)::int as count from hooks.streams where app_name = $1", [attacker]),
    );
    over.abort();
    await attacking;
    const streams = rows[0]?.count ?? 0;
    assert.ok(streams > 0 && streams <= 100, `the app has ${streams} streams`);
  });
});
