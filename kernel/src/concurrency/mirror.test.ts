import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock, rejectsWith } from "@appserver/testing/kit";
import { AppError } from "../app-error.ts";
import { silentLogger } from "../logger.ts";
import { Mirror } from "./mirror.ts";

function mirrored() {
  const clock = new FakeClock();
  const reads: (readonly string[] | "all")[] = [];
  const stored = { version: 1, isUnavailable: false };
  let held = 0;
  let notify: (key?: string) => void = () => {};
  let isSubscribed = false;
  const mirror = new Mirror({
    name: "shelves",
    clock,
    logger: silentLogger,
    subscribe: async (onChange) => {
      notify = onChange;
      isSubscribed = true;
      return {
        close: async () => {
          isSubscribed = false;
        },
      };
    },
    read: async (keys) => {
      reads.push(keys ?? "all");
      if (stored.isUnavailable) throw new AppError("SERVICE_UNAVAILABLE", "no database");
      held = stored.version;
    },
    isCurrent: async () => held === stored.version,
  });
  return { mirror, clock, reads, stored, notify: (key?: string) => notify(key), isSubscribed: () => isSubscribed };
}

test("a start subscribes and reads everything, and a stop ends the subscription", async () => {
  const { mirror, reads, isSubscribed } = mirrored();
  assert.equal(mirror.ageMs(), Number.POSITIVE_INFINITY);
  await mirror.start();
  assert.deepEqual([reads, isSubscribed(), mirror.ageMs()], [["all"], true, 0]);
  await mirror.stop();
  assert.equal(isSubscribed(), false);
});

test("a start that cannot read rejects", async () => {
  const { mirror, stored } = mirrored();
  stored.isUnavailable = true;
  await assert.rejects(mirror.start(), rejectsWith("SERVICE_UNAVAILABLE"));
  await mirror.stop();
});

test("notifications that come together are one read, and one without a key reads everything", async () => {
  const { mirror, reads, notify } = mirrored();
  await mirror.start();
  notify("a");
  notify("b");
  await mirror.refresh("a");
  assert.deepEqual(reads.splice(0), ["all", ["a", "b"]]);
  notify("a");
  await mirror.refresh();
  assert.deepEqual(reads, ["all"]);
  await mirror.stop();
});

test("a lost notification is noticed by the check, which reads nothing while nothing has changed", async () => {
  const { mirror, clock, reads, stored } = mirrored();
  await mirror.start();
  await clock.advance(5_000);
  assert.deepEqual([reads.length, mirror.ageMs()], [1, 0]);
  stored.version = 2;
  await clock.advance(5_000);
  await mirror.refresh("a");
  assert.deepEqual(reads, ["all", "all", ["a"]]);
  await mirror.stop();
});

test("a failed read is repeated by the next check, and the memory grows older until then", async () => {
  const { mirror, clock, reads, stored } = mirrored();
  await mirror.start();
  Object.assign(stored, { version: 2, isUnavailable: true });
  await clock.advance(5_000);
  await assert.rejects(mirror.refresh(), rejectsWith("SERVICE_UNAVAILABLE"));
  assert.ok(mirror.ageMs() >= 5_000);
  stored.isUnavailable = false;
  await clock.advance(5_000);
  await mirror.refresh();
  assert.equal(mirror.ageMs(), 0);
  assert.ok(reads.length >= 4);
  await mirror.stop();
});
