import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually, jsonOf, send, until } from "@appserver/testing/kit";
import { inTurn, underLoad } from "../../kit/under-load.ts";
import { openEventStream, openWebSocket } from "./open-stream.ts";
import type { StreamFixture } from "./switch-under-load.ts";
import type { SwitchedApp } from "./switched-app.ts";

/** The orchestrator computes the end of the drain from two clocks. */
const clockToleranceMs = 250;

/** Returns which process of the streaming app a server sends requests to. */
export async function instanceAt(httpUrl: string, app: SwitchedApp): Promise<string> {
  return (jsonOf(await send(httpUrl, app.path("/instance"))) as { instance: string }).instance;
}

/** Calls one server until another instance responds. Returns when the last call that reached the old one was sent. */
async function lastSentTo(old: string, httpUrl: string, app: SwitchedApp): Promise<number> {
  for (let lastAt = 0; ; await sleep(10)) {
    const sentAt = performance.now();
    if ((await instanceAt(httpUrl, app)) !== old) return lastAt;
    lastAt = sentAt;
  }
}

/**
 * Upgrades an app with open streams. They stay on the previous release until the drain timeout, then the app gets SIGTERM and
 * closes them properly. No other request fails.
 */
export async function drainUnderLoad(
  t: TestContext,
  { platform, releases, app }: StreamFixture,
  drainTimeoutMs: number,
): Promise<void> {
  const [firstUrl = ""] = platform.httpUrls;
  const old = await instanceAt(firstUrl, app);
  await app.offer(await releases.streaming("2.0.0"));
  const opened = platform.httpUrls.flatMap((httpUrl) => [
    openWebSocket(httpUrl, app.path("/socket")),
    openEventStream(httpUrl, app.path("/events")),
  ]);
  const streams = await Promise.all(opened);
  t.after(() => {
    for (const stream of streams) stream.close();
  });
  await underLoad(t, { calls: inTurn(platform.httpUrls, app.path("/instance")) }, async () => {
    const moments = Promise.all(platform.httpUrls.map((httpUrl) => lastSentTo(old, httpUrl, app)));
    moments.catch(() => {});
    await app.upgrade();
    const switchedAt = Math.max(...(await moments));
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
