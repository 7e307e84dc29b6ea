import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLogger } from "@appserver/kernel";
import type { EventEnvelope } from "@appserver/kernel/ports";
import { EventObservers } from "./event-observers.ts";
import type { MessageStore } from "./message-store.ts";

test("an event that is notified and also read after a reconnection is delivered once", async () => {
  const stored = [1, 2].map((id) => ({ id, event: { id: String(id), type: "app.installed" } as EventEnvelope }));
  const store = {
    lastEventId: async () => 0,
    recentEvents: async (ids: readonly number[]) => stored.filter(({ id }) => ids.includes(id)),
    recentEventsAfter: async () => stored,
  } as unknown as MessageStore;
  const observers = new EventObservers(store, silentLogger);
  await observers.begin();
  const heard: string[] = [];
  observers.add(["app.installed"], ({ id }) => heard.push(id));
  observers.notified(2, "app.installed");
  observers.reconnected();
  observers.notified(1, "app.installed");
  await observers.settled();
  assert.deepEqual(heard.sort(), ["1", "2"]);
});
