import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { eventually, until } from "@appserver/testing/kit";
import { contentsOf, inTurn, underLoad } from "../../kit/under-load.ts";
import type { SwitchPlatform } from "./switch-platform.ts";
import type { Fixture } from "./switch-under-load.ts";
import { SwitchedApp } from "./switched-app.ts";

const name = "test.several";
const requests = 600;
/** Of three instances, of a request for the less busy of two at random. */
const leastShare = 0.2;
const mostShare = 0.47;
/** The back-off of the first restart, a health check, and a start on a busy machine. */
const backWithinMs = 60_000;

/** Counts the responses of each instance. */
async function shares(platform: SwitchPlatform, app: SwitchedApp, count: number): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const { httpUrls } = platform;
  for (let sent = 0; sent < count; sent += 10) {
    const urls = Array.from({ length: 10 }, (_, index) => `${httpUrls[index % httpUrls.length]}${app.path("/instance")}`);
    for (const text of await Promise.all(urls.map((url) => contentsOf(url)))) {
      const { instance } = JSON.parse(text) as { readonly instance: string };
      counts.set(instance, (counts.get(instance) ?? 0) + 1);
    }
  }
  return counts;
}

/**
 * Three instances of an app share its requests. Under load it is upgraded and returned, and gets fewer and more instances, without a
 * failed request. One that is killed runs again. `kill` ends a container as the engine's command does.
 */
export async function severalInstances(
  t: TestContext,
  { platform, releases }: Fixture,
  kill: (container: string) => Promise<void>,
): Promise<void> {
  const app = await SwitchedApp.install(platform, await releases.streaming("1.0.0", name, 3), "/instance");
  const serve = (count: number) =>
    eventually(
      async () => [(await platform.running(name)).length, (await shares(platform, app, 40)).size],
      (seen) => String(seen) === String([count, count]),
      { timeoutMs: backWithinMs, what: `${count} instances serve` },
    );
  await serve(3);
  const parts = [...(await shares(platform, app, requests)).values()].map((count) => count / requests);
  assert.ok(
    parts.length === 3 && parts.every((part) => part >= leastShare && part <= mostShare),
    `shares of the requests: ${parts.join(", ")}`,
  );

  await app.offer(await releases.streaming("1.1.0", name, 3));
  const { httpUrls } = platform;
  const load = { calls: inTurn(httpUrls, app.path("/instance")), slow: inTurn(httpUrls, app.path("/slow"), "POST") };
  await underLoad(t, load, async () => {
    await app.upgrade();
    await until("one release runs", async () => (await platform.running(name)).length === 3);
    await app.set({ "containers.replicas": 1 });
    await until("one instance runs", async () => (await platform.running(name)).length === 1);
    await app.set({ "containers.replicas": 2 });
    await serve(2);
    await app.rollBack();
    await until("the first release runs", async () => (await platform.running(name)).length === 2);
  });

  const [killed = assert.fail("no container")] = await platform.running(name);
  await kill(killed);
  await serve(2);
  assert.ok((await platform.running(name)).includes(killed), "the same instance was started again");
}
