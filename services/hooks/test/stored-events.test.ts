import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callBy, rejectsWith } from "@appserver/testing/kit";
import { clock, created, hooksHome, notes, trigger } from "./hooks-home.ts";
import { callerOf, hookApp } from "./hooks-under-test.ts";

describe("stored events of hooks", () => {
  const home = hooksHome();

  test("are listed by page, newest first, with their data; an app sees its own and those delivered to it", async () => {
    home.apps.put(hookApp(notes), hookApp(clock), hookApp("other"));
    const hooks = await home.start();
    await home.subscribe(hooks, clock, { hookNames: [created] });
    const ids: string[] = [];
    for (let number = 0; number < 3; number += 1) ids.unshift((await trigger(hooks, number)).eventId);
    await home.allAre("DELIVERED", 3);
    const list = async (name: string, more: object = {}) => {
      const page = await hooks.resolvers.Query.hookEvents(undefined, { first: 2, ...more }, callBy(callerOf(name)));
      const data = await Promise.all(page.edges.map(({ node }) => hooks.resolvers.HookEvent.data(node)));
      return { ...page, data, total: await hooks.resolvers.HookEventConnection.totalCount(page) };
    };
    const first = await list(notes);
    assert.deepEqual(
      [first.edges.map(({ node }) => node.id), first.total, first.pageInfo.hasNextPage],
      [ids.slice(0, 2), 3, true],
    );
    assert.deepEqual(
      first.data.map((data) => JSON.stringify(data).includes("1") || JSON.stringify(data).includes("2")),
      [true, true],
    );
    const { sourceApp, triggeredBy, hookName } = first.edges[0]?.node ?? assert.fail();
    assert.deepEqual([sourceApp, triggeredBy, hookName], [notes, `app:${notes}`, created]);
    const last = await list(notes, { after: first.pageInfo.endCursor });
    assert.deepEqual(
      last.edges.map(({ node }) => node.id),
      ids.slice(2),
    );
    assert.deepEqual([(await list(clock)).total, (await list("other")).total], [3, 0]);
    assert.deepEqual([(await list(notes, { appName: clock })).total, (await list(notes, { hookName: created })).total], [0, 3]);
  });

  test("one is read by its id, with its deliveries; another app does not find it", async () => {
    home.apps.put(hookApp(notes), hookApp(clock));
    const hooks = await home.start();
    await home.subscribe(hooks, clock, { hookNames: [created] });
    const { eventId } = await trigger(hooks, 7);
    await trigger(hooks, 8);
    const { Query, HookEvent } = hooks.resolvers;
    const found = await Query.hookEvent(undefined, { id: eventId }, callBy(callerOf(notes)));
    assert.match(JSON.stringify(await HookEvent.data(found ?? assert.fail())), /7/);
    assert.equal(await Query.hookEvent(undefined, { id: eventId }, callBy(callerOf("stranger"))), null);
    assert.equal(await Query.hookEvent(undefined, { id: "none" }, callBy(callerOf(notes))), null);
    const { edges } = await Query.hookDeliveries(undefined, { eventId }, callBy(callerOf(notes)));
    assert.deepEqual(
      edges.map(({ node }) => [node.eventId, node.appName]),
      [[eventId, clock]],
    );
    const wrong = Query.hookDeliveries(undefined, { eventId: "none" }, callBy(callerOf(notes)));
    await assert.rejects(wrong, rejectsWith("INVALID_REQUEST", /eventId/));
  });
});
