import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@appserver/testing/kit";
import { freezeProcess } from "../../../tools/services/freeze-process.ts";
import type { ContainerPlatform } from "./container-platform.ts";
import type { Releases } from "./releases.ts";
import { targets, underLoad } from "./rows.ts";
import { instanceAt } from "./streams.ts";
import type { SwitchedApp } from "./switched-app.ts";

/** A server that was not seen for this time is not waited for. */
const aliveForMs = 60_000;
/** The server was last seen at most this time before it was frozen. */
const beatMs = 5_000;
/**
 * An orchestrator that waits only for exchanges stops the old container during this time. In `npm test` it is longer than the
 * drain timeout.
 */
const quietMs = 8_000;
const frozenPerSecond = 5;
const proxiedPerSecond = 500;

interface Scene {
  readonly platform: ContainerPlatform;
  readonly releases: Releases;
}

/** A server that does not receive a switch, and what the app had before it. */
interface FrozenSwitch {
  /** The container of the previous release. */
  readonly old: string;
  /** When the server was frozen. */
  readonly frozenAt: number;
  /** Lets the server continue. */
  thaw(): void;
}

/** Freezes the second server, and upgrades the app over the first one. */
async function upgradeWithFrozenServer(t: TestContext, { platform, releases }: Scene, app: SwitchedApp, version: string) {
  const [first, second] = [platform.group.server(0), platform.group.server(1)];
  const [old = assert.fail("no container"), ...others] = await platform.running(app.name);
  assert.deepEqual(others, []);
  const instance = await instanceAt(first.httpUrl, app);
  await app.offer(await releases.streaming(version));
  freezeProcess(second.pid);
  const thaw = (): void => void process.kill(second.pid, "SIGCONT");
  t.after(thaw);
  const frozenAt = performance.now();
  assert.equal((await app.upgrade()).error, null);
  await until("the other server has switched", async () => (await instanceAt(first.httpUrl, app)) !== instance);
  const frozen: FrozenSwitch = { old, frozenAt, thaw };
  return frozen;
}

/**
 * While one of two servers has not reported the switch, the old container runs, although no exchange uses it. Requests that wait
 * in that server get their responses from it.
 */
export async function awaitFrozenServer(t: TestContext, scene: Scene, app: SwitchedApp): Promise<void> {
  const { platform } = scene;
  const [live, frozen] = [platform.group.server(0), platform.group.server(1)].map(({ httpUrl }) => ({ httpUrls: [httpUrl] }));
  assert.ok(live && frozen);
  const path = app.path("/instance");
  const load = [...targets(live, path, proxiedPerSecond), ...targets(frozen, path, frozenPerSecond)];
  await underLoad(t, load, async () => {
    const { old, frozenAt, thaw } = await upgradeWithFrozenServer(t, scene, app, "3.0.0");
    await sleep(quietMs);
    assert.ok((await platform.running(app.name)).includes(old), "the old container was stopped before the report of a server");
    const frozenMs = performance.now() - frozenAt;
    assert.ok(frozenMs < aliveForMs - 2 * beatMs, `this machine is too busy: the switch took ${frozenMs} ms`);
    thaw();
    await until("the old container is stopped", async () => !(await platform.running(app.name)).includes(old));
  });
}

/** After 60 s without the report of a server the old container is stopped. The server serves the new release afterwards. */
export async function giveUpFrozenServer(t: TestContext, scene: Scene, app: SwitchedApp): Promise<void> {
  const { platform } = scene;
  const [live, frozen] = [platform.group.server(0), platform.group.server(1)];
  await underLoad(t, targets({ httpUrls: [live.httpUrl] }, app.path("/instance"), proxiedPerSecond), async () => {
    const { old, frozenAt, thaw } = await upgradeWithFrozenServer(t, scene, app, "4.0.0");
    const isStopped = async (): Promise<boolean> => !(await platform.running(app.name)).includes(old);
    await until("the old container is stopped", isStopped, 2 * aliveForMs);
    const stoppedMs = performance.now() - frozenAt;
    t.diagnostic(`the old container was stopped ${Math.round(stoppedMs)} ms after the server was frozen`);
    assert.ok(stoppedMs >= aliveForMs - beatMs, `${stoppedMs} ms`);
    thaw();
    const current = await instanceAt(live.httpUrl, app);
    await until("both servers have switched", async () => (await instanceAt(frozen.httpUrl, app)) === current);
  });
}
