import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLogger } from "@appserver/kernel";
import { FakeClock } from "@appserver/testing/kit";
import type { ClaimedDelivery } from "../domain/delivery.ts";
import type { HooksContext } from "../use-cases/context.ts";
import { RetryWaits } from "./retry-waits.ts";

const success = { outcome: "SUCCESS" } as const;
const app = "com.example.clock";

function retryWaits() {
  const clock = new FakeClock();
  const ended: string[] = [];
  const deliveries = { endWaits: async (name: string) => ended.push(name) };
  const context = { deliveries, clock, logger: silentLogger, apps: { get: () => undefined } };
  const waits = new RetryWaits(context as unknown as HooksContext, () => {});
  /** Stores the result of an attempt that began now. */
  const succeeds = (waitLeftMs = 0) =>
    waits.attempted({ appName: app, waitLeftMs } as ClaimedDelivery, success, clock.monotonic(), false);
  const fails = () => {
    const failed = { outcome: "FAILED", error: "503" } as const;
    waits.attempted({ appName: app, waitLeftMs: 0 } as ClaimedDelivery, failed, clock.monotonic(), true);
  };
  return { clock, waits, ended, succeeds, fails };
}

test("a success after a failure ends the waits at once, each time", () => {
  const { ended, succeeds, fails } = retryWaits();
  for (const round of [1, 2]) {
    fails();
    succeeds();
    assert.equal(ended.length, round);
  }
});

test("successes end the waits that began on other replicas, at most every 30 s", async () => {
  const { clock, waits, ended, succeeds } = retryWaits();
  succeeds();
  succeeds();
  assert.equal(ended.length, 1);
  await clock.advance(29_999);
  succeeds();
  assert.equal(ended.length, 1);
  await clock.advance(1);
  succeeds();
  assert.equal(ended.length, 2);
  waits.forget(app);
  succeeds();
  assert.equal(ended.length, 3);
});

test("an early attempt that succeeds ends the waits; of many that succeed together, one a second does", async () => {
  const { clock, ended, succeeds } = retryWaits();
  succeeds();
  for (const round of [2, 3]) {
    await clock.advance(1_000);
    for (let attempt = 0; attempt < 100; attempt += 1) succeeds(60_000);
    assert.equal(ended.length, round);
  }
});
