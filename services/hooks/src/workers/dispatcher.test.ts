import assert from "node:assert/strict";
import { test } from "node:test";
import { SystemClock, silentLogger, silentMetrics } from "@appserver/kernel";
import { eventually } from "@appserver/testing/kit";
import type { ClaimedDelivery } from "../domain/delivery.ts";
import type { AttemptResult } from "../domain/retry-policy.ts";
import type { DeliveryStore, DeliveryWant } from "../ports.ts";
import type { HooksContext } from "../use-cases/context.ts";
import { Dispatcher } from "./dispatcher.ts";

const mebibyte = 1024 * 1024;

/** A dispatcher of apps that have any number of deliveries with `characters` of data. Nothing is acknowledged until `finish`. */
function dispatching(characters: number, store: Partial<Pick<DeliveryStore, "claim" | "finish">> = {}) {
  const sent: { readonly appName: string; finish(): void }[] = [];
  const rooms: number[] = [];
  let id = 0;
  const claim = async (wants: readonly DeliveryWant[]): Promise<readonly ClaimedDelivery[]> =>
    wants.flatMap(({ appName, room }) => {
      rooms.push(room);
      return Array.from({ length: room }, () => {
        id += 1;
        return { id: String(id), appName, event: { hookName: "any", data: "x".repeat(characters) } } as ClaimedDelivery;
      });
    });
  const context = {
    clock: new SystemClock(),
    logger: silentLogger,
    metrics: silentMetrics,
    deliveries: { claim, finish: async () => undefined, endWaits: async () => 0, ...store },
    policy: { retry: { delaysMs: [1_000], freeDisconnects: 0 } },
  };
  const dispatcher = new Dispatcher(context as unknown as HooksContext);
  const open = (appName: string) => {
    const send = (): Promise<AttemptResult> =>
      new Promise((resolve) => sent.push({ appName, finish: () => resolve({ outcome: "SUCCESS" }) }));
    dispatcher.open({ appName, hookNames: undefined, pushes: false, capacity: 1_000, send });
  };
  return { dispatcher, sent, rooms, open };
}

test("a delivery that a channel cannot send is stored as failed, and the others are sent", async () => {
  const finished: string[] = [];
  const waiting = ["1", "2"].map(
    (id) =>
      ({
        id,
        appName: "a",
        failures: 0,
        disconnects: 0,
        waitLeftMs: 0,
        event: { hookName: "any", data: "" },
      }) as ClaimedDelivery,
  );
  const { dispatcher } = dispatching(1, {
    claim: async () => waiting.splice(0),
    finish: async ({ delivery, result }) => void finished.push(`${delivery.id} ${result.outcome}`),
  });
  const send = ({ id }: ClaimedDelivery): Promise<AttemptResult> => {
    if (id === "1") assert.fail("poisoned");
    return Promise.resolve({ outcome: "SUCCESS" });
  };
  dispatcher.open({ appName: "a", hookNames: undefined, pushes: false, capacity: 10, send });
  dispatcher.start();
  await eventually(() => finished.length >= 2);
  await dispatcher.stop();
  assert.deepEqual(finished.sort(), ["1 FAILED", "2 SUCCESS"]);
});

test("deliveries of an app that acknowledges nothing are claimed up to 16 Mi characters of data, those of others as before", async () => {
  const { dispatcher, sent, rooms, open } = dispatching(mebibyte / 4);
  for (let streams = 0; streams < 3; streams += 1) open("com.example.silent");
  dispatcher.start();
  await eventually(() => sent.length >= 100);
  open("com.example.other");
  await eventually(() => sent.some(({ appName }) => appName === "com.example.other"));
  const ofSilent = sent.filter(({ appName }) => appName === "com.example.silent");
  assert.deepEqual([ofSilent.length, Math.max(...rooms)], [100, 100]);
  for (const { finish } of sent.splice(0)) finish();
  await eventually(() => sent.some(({ appName }) => appName === "com.example.silent"));
  for (const { finish } of sent) finish();
  const stopped = dispatcher.stop();
  for (const { finish } of sent) finish();
  await stopped;
});

test("every stream of an app gets its share, however many it has", async () => {
  const { dispatcher, sent, open } = dispatching(1);
  for (let streams = 0; streams < 3; streams += 1) open("com.example.many");
  dispatcher.start();
  await eventually(() => sent.length === 3_000);
  const stopped = dispatcher.stop();
  for (const { finish } of sent) finish();
  await stopped;
});
