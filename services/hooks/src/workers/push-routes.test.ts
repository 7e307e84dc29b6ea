import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLogger } from "@appserver/kernel";
import { FakeClock } from "@appserver/testing/kit";
import type { Backend, PushableHooks } from "../ports.ts";
import type { HooksContext } from "../use-cases/context.ts";
import type { DeliveryChannel } from "./delivery-channel.ts";
import { PushRoutes } from "./push-routes.ts";

const reader = "com.example.reader";
const paths: PushableHooks["paths"] = new Map([["com.example.notes.created", "/in"]]);

/** Creates the push routes of one app, whose backend and whose database the test changes. */
function routes() {
  const clock = new FakeClock();
  const state = {
    apps: [reader],
    backend: undefined as Backend | undefined,
    poisoned: undefined as string | undefined,
    isReachable: true,
    reads: 0,
  };
  const open: DeliveryChannel[] = [];
  const subscriptions = {
    pushable: async () => {
      state.reads += 1;
      if (!state.isReachable) throw new Error("the database is unreachable");
      return state.apps.map((appName): PushableHooks => ({ appName, paths }));
    },
  };
  const get = async (name: string) => {
    if (name === state.poisoned) assert.fail("poisoned");
    return { backend: state.backend };
  };
  const apps = { get };
  const policy = { pushConcurrency: 8, answerTimeoutMs: 1_000 };
  const context = { clock, logger: silentLogger, subscriptions, apps, policy } as unknown as HooksContext;
  const pushRoutes = new PushRoutes(context, {
    open: (channel) => {
      open.push(channel);
      return () => open.splice(open.indexOf(channel), 1);
    },
  });
  return { clock, state, open, pushRoutes };
}

function backend(url: string): Backend {
  return { url, managed: true };
}

test("an app that cannot be read keeps its channel, and those of the others change", async () => {
  const { clock, state, open, pushRoutes } = routes();
  state.apps = ["com.example.poisoned", reader];
  state.backend = backend("http://one");
  pushRoutes.start();
  await clock.advance(0);
  const [kept, first] = open;
  state.poisoned = "com.example.poisoned";
  state.backend = backend("http://two");
  pushRoutes.refreshSoon();
  await clock.advance(0);
  assert.equal(open.length, 2);
  assert.ok(kept && open.includes(kept));
  assert.ok(first && !open.includes(first));
  state.poisoned = undefined;
  await clock.advance(1_000);
  assert.ok(!open.includes(kept), "it is read again");
  await pushRoutes.stop();
});

test("a reported change of the backend opens another channel; without a report nothing is read", async () => {
  const { clock, state, open, pushRoutes } = routes();
  pushRoutes.start();
  await clock.advance(0);
  assert.equal(open.length, 0, "no backend runs yet");
  state.backend = backend("http://one");
  await clock.advance(3_600_000);
  assert.deepEqual([open.length, state.reads], [0, 1]);
  pushRoutes.refreshSoon();
  await clock.advance(0);
  const [first] = open;
  assert.ok(first);
  pushRoutes.refreshSoon();
  await clock.advance(0);
  assert.deepEqual(open, [first], "an unchanged backend keeps its channel");
  state.backend = backend("http://two");
  pushRoutes.refreshSoon();
  await clock.advance(0);
  assert.equal(open.length, 1);
  assert.notEqual(open[0], first);
  await pushRoutes.stop();
  assert.equal(open.length, 0);
});

test("a failed read is retried, and the open channels stay until it succeeds", async () => {
  const { clock, state, open, pushRoutes } = routes();
  state.backend = backend("http://one");
  pushRoutes.start();
  await clock.advance(0);
  const [first] = open;
  assert.ok(first);
  state.backend = undefined;
  state.isReachable = false;
  pushRoutes.refreshSoon();
  await clock.advance(60_000);
  assert.deepEqual(open, [first]);
  state.isReachable = true;
  await clock.advance(15_000);
  assert.equal(open.length, 0);
  await pushRoutes.stop();
});

test("reports before the start and after the stop read nothing", async () => {
  const { clock, state, pushRoutes } = routes();
  pushRoutes.refreshSoon();
  await clock.advance(0);
  assert.equal(state.reads, 0);
  await pushRoutes.stop();
  pushRoutes.refreshSoon();
  await clock.advance(0);
  assert.equal(state.reads, 0);
});
