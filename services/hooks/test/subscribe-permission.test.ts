import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EventEnvelope } from "@appserver/kernel/ports";
import { callBy, eventually, rejectsWith } from "@appserver/testing/kit";
import { clock, created, declared, hooksHome, notes, trigger } from "./hooks-home.ts";
import { callerOf, declare, hookApp, startReplica, TestTransport } from "./hooks-under-test.ts";
import { Subscriber } from "./subscriber.ts";

const scope = (owner: string) => `permission_scope:${owner}/subscribe_hook`;

describe("hooks of other apps need hook:subscribe on the owning app", () => {
  const home = hooksHome();
  const child = `${notes}.archive`;

  async function start() {
    let announce: (event: EventEnvelope) => void = () => {};
    const observe = async (_types: readonly string[], onEvent: typeof announce) => {
      announce = onEvent;
      return { close: async () => {} };
    };
    const replica = await startReplica(
      home.database,
      home.apps,
      { subscribeNeedsPermission: true },
      new TestTransport(),
      observe,
    );
    const change = async (kind: "writes" | "deletes", owner: string): Promise<void> => {
      await replica.authorization.write({ [kind]: [{ user: `app:${clock}`, relation: "holder", object: scope(owner) }] });
      announce({ type: "permission.changed", body: { subject: `app:${clock}` } } as unknown as EventEnvelope);
    };
    return {
      ...replica,
      grant: (owner: string) => change("writes", owner),
      revoke: (owner: string) => change("deletes", owner),
    };
  }

  test("a manifest's subscription delivers nothing before it is permitted, nor after the permission is revoked", async () => {
    home.apps.put(hookApp(notes), hookApp(clock, declared(created)));
    const { hooks, grant, revoke, stop } = await start();
    try {
      const deliveries = async () => (await trigger(hooks)).deliveries.length;
      assert.equal(await deliveries(), 0);
      await grant(notes);
      await eventually(deliveries, (count) => count === 1);
      await revoke(notes);
      await eventually(deliveries, (count) => count === 0);
    } finally {
      await stop();
    }
  });

  test("an app installed with its permission misses nothing that is triggered from then on", async () => {
    home.apps.put(hookApp(notes));
    const { hooks, grant, stop } = await start();
    try {
      await grant(notes);
      const installing = hookApp(clock, declared(created));
      home.apps.put(installing);
      await declare(home.database, hooks, installing);
      assert.equal((await trigger(hooks)).deliveries.length, 1);
    } finally {
      await stop();
    }
  });

  test("a stream is refused for hooks of an app without the permission, also if a permitted app has a shorter matching name", async () => {
    home.apps.put(hookApp(notes), hookApp(child), hookApp(clock));
    const { hooks, grant, stop } = await start();
    const open = async (hookName: string): Promise<Subscriber> => {
      const subscriber = new Subscriber(hooks, callerOf(clock), { hookNames: [hookName] });
      const opened = eventually(
        async () => (await home.database.query("select 1 from hooks.subscriptions where hook_name = $1", [hookName])).count,
        (count) => count === 1,
      );
      await Promise.race([opened, subscriber.over]);
      return subscriber;
    };
    try {
      await assert.rejects(open(created), rejectsWith("PERMISSION_DENIED", /hook:subscribe on com\.example\.notes/));
      await grant(notes);
      const subscriber = await open(created);
      assert.equal((await trigger(hooks)).deliveries.length, 1);
      await assert.rejects(open(`${child}.filled`), rejectsWith("PERMISSION_DENIED", /on com\.example\.notes\.archive/));
      await assert.rejects(open("com.example.nobody.knows"), rejectsWith("PERMISSION_DENIED", /hook:subscribe/));
      await subscriber.vanish();
      await (await open(`${clock}.ticked`)).vanish();
      await (await open("app.on_create")).vanish();
    } finally {
      await stop();
    }
  });

  test("a subscription made before its source app exists is checked against that app", async () => {
    home.apps.put(hookApp(clock, declared(`${child}.filled`)));
    const { hooks, grant, stop } = await start();
    try {
      await grant(notes);
      home.apps.put(hookApp(notes), hookApp(child));
      await grant(notes);
      const fill = async (caller: string) =>
        (await hooks.trigger({ name: `${child}.filled`, data: 1 }, callBy(callerOf(caller)))).deliveries.length;
      assert.equal(await fill(child), 0, "it holds the permission on notes, and the hook is the archive's");
      await grant(child);
      await eventually(
        () => fill(child),
        (count) => count === 1,
      );
    } finally {
      await stop();
    }
  });
});
