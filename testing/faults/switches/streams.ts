import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually, jsonOf, send, until } from "@appserver/testing/kit";
import { type OpenStream, openEventStream, openWebSocket } from "./open-stream.ts";
import type { Releases } from "./releases.ts";
import { targets, underLoad } from "./rows.ts";
import type { SwitchPlatform } from "./switch-platform.ts";
import type { SwitchedApp } from "./switched-app.ts";

const proxiedPerSecond = 500;
/** The orchestrator computes the end of the drain from two clocks. */
const clockToleranceMs = 250;

/** Returns which process of the streaming app a server sends requests to. */
export async function instanceAt(httpUrl: string, app: SwitchedApp): Promise<string> {
  return (jsonOf(await send(httpUrl, app.path("/instance"))) as { instance: string }).instance;
}

/** Repeats requests to one server until the app's other instance responds. */
class SwitchMoment {
  /** When the last request that reached the old instance was sent. */
  lastOldAt = 0;
  readonly #isOver: Promise<void>;

  constructor(httpUrl: string, app: SwitchedApp, old: string) {
    this.#isOver = this.#watch(httpUrl, app, old);
    this.#isOver.catch(() => {});
  }

  async over(): Promise<number> {
    await this.#isOver;
    return this.lastOldAt;
  }

  async #watch(httpUrl: string, app: SwitchedApp, old: string): Promise<void> {
    for (;;) {
      const sentAt = performance.now();
      if ((await instanceAt(httpUrl, app)) !== old) return;
      this.lastOldAt = sentAt;
      await sleep(10);
    }
  }
}

/** Opens a WebSocket and an event stream at each server. */
export async function openStreams({ httpUrls }: SwitchPlatform, app: SwitchedApp): Promise<readonly OpenStream[]> {
  const opened = httpUrls.flatMap((httpUrl) => [
    openWebSocket(httpUrl, app.path("/socket")),
    openEventStream(httpUrl, app.path("/events")),
  ]);
  return await Promise.all(opened);
}

/**
 * Upgrades an app with open streams. They stay on the previous release until the drain timeout, then the app gets SIGTERM and
 * closes them properly. No other request fails.
 */
export async function drainUnderLoad(
  t: TestContext,
  { platform, releases }: { readonly platform: SwitchPlatform; readonly releases: Releases },
  app: SwitchedApp,
  drainTimeoutMs: number,
): Promise<void> {
  const [firstUrl = ""] = platform.httpUrls;
  const old = await instanceAt(firstUrl, app);
  await app.offer(await releases.streaming("2.0.0"));
  const streams = await openStreams(platform, app);
  t.after(() => {
    for (const stream of streams) stream.close();
  });
  await underLoad(t, targets(platform, app.path("/instance"), proxiedPerSecond), async () => {
    const moments = platform.httpUrls.map((httpUrl) => new SwitchMoment(httpUrl, app, old));
    assert.equal((await app.upgrade()).error, null);
    const switchedAt = Math.max(...(await Promise.all(moments.map((moment) => moment.over()))));
    for (const stream of streams) {
      assert.equal(stream.ending, undefined, `${stream.name} ${stream.ending?.how}`);
      const count = stream.messages.length;
      await until(`${stream.name} continues after the switch`, () => stream.messages.length > count + 2);
    }
    await eventually(
      () => streams.filter(({ ending }) => ending === undefined).map(({ name }) => name),
      (open) => open.length === 0,
      { timeoutMs: drainTimeoutMs + 90_000, what: "the end of every stream" },
    );
    for (const { name, messages, ending } of streams) {
      const isWebSocket = name.startsWith("WebSocket");
      assert.equal(ending?.how, isWebSocket ? "closed with 1001" : "ended", name);
      assert.equal(messages.at(-1), isWebSocket ? "SIGTERM" : old, name);
      assert.deepEqual(new Set(messages.filter((text) => text !== "SIGTERM")), new Set([old]), name);
      const afterMs = (ending?.at ?? 0) - switchedAt;
      t.diagnostic(`${name}: ${ending?.how} ${Math.round(afterMs)} ms after the switch`);
      assert.ok(afterMs >= drainTimeoutMs - clockToleranceMs, `${name} ended ${afterMs} ms after the switch`);
    }
    await until("one container", async () => (await platform.running(app.name)).length === 1);
  });
}
