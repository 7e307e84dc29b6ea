import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Caller } from "@appserver/kernel";
import { callBy, eventually, FakeClock, startTestPostgres, type TestPostgres } from "@appserver/testing/kit";
import { triggerActivity } from "../src/use-cases/trigger-activity.ts";
import { notes, startActivity, type TestActivity, testDefinition } from "./fixtures.ts";

const definition = testDefinition({ name: "plain" });

describe("waiting runs of an app", () => {
  const clock = new FakeClock();
  let server: TestPostgres;
  let service: TestActivity;

  before(async () => {
    server = await startTestPostgres();
    service = await startActivity(server, [definition], { clock, maxQueuedRunsPerApp: 3 });
  });
  after(async () => {
    await service?.stop();
    await server.stop();
  });

  const trigger = (appName: string) => {
    const caller: Caller = { kind: "app", name: appName, id: "1" };
    return triggerActivity(service.activity.context, { appName, activity: "plain", input: undefined }, callBy(caller));
  };

  test("are limited in number; other apps are not affected, and runs that start make room", async () => {
    for (let n = 0; n < 3; n++) await trigger(notes);
    await assert.rejects(trigger(notes), { code: "RATE_LIMIT_EXCEEDED", message: /has 3 or more runs/ });
    await trigger("com.example.clock");
    await service.activity.context.runs.claim({ appName: notes, definition, limit: 1 });
    await clock.advance(5_000);
    await eventually(() => trigger(notes));
    await assert.rejects(trigger(notes), { code: "RATE_LIMIT_EXCEEDED" });
  });
});
