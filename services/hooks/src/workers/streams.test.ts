import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLogger } from "@appserver/kernel";
import { FakeClock } from "@appserver/testing/kit";
import type { HooksContext } from "../use-cases/context.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { Streams } from "./streams.ts";

test("a failed heartbeat is a warning that says so", async () => {
  const clock = new FakeClock();
  const warned: unknown[] = [];
  const logger = {
    ...silentLogger,
    debug: () => {},
    warn: (fields: object, message?: string) => warned.push({ ...fields, message }),
  };
  const away = new Error("the database is unreachable");
  let isAway = false;
  const subscriptions = {
    heartbeat: async () => {
      if (isAway) throw away;
    },
  };
  const streams = new Streams({ clock, logger, subscriptions } as unknown as HooksContext, {} as Dispatcher);
  streams.start();
  isAway = true;
  await clock.advance(2_000);
  assert.deepEqual(warned, [{ err: away, message: "hooks: the heartbeat of the streams failed; retrying" }]);
  await streams.stop();
});
