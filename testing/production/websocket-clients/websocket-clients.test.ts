import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { metricCatalogue } from "@appserver/contracts/metrics";
import { CuttableRelay, eventually, jsonOf, RunningPlatform, send, testApp, uniqueName, until } from "@appserver/testing/kit";
import { command } from "../../contract/commands.ts";
import type { ShownEvent } from "../../contract/event-stream.ts";
import { ClientSession } from "./client-session.ts";
import { FollowedEvents } from "./followed-events.ts";
import { gatedApp } from "./gated-app.ts";
import { modernClient } from "./modern-client.ts";
import { olderClient } from "./older-client.ts";

interface Changed {
  readonly appStateChanged: { readonly name: string; readonly enabled: boolean };
}

interface Progress {
  readonly operationProgress: { readonly done: boolean };
}

interface Run {
  readonly activityProgress: { readonly status: string };
}

/** A normal end, the stop of a server, a close frame without a code, and a connection that ended without a close frame. */
const [normal, goingAway, noCode, lost] = [1000, 1001, 1005, 1006] as const;

const clients = [
  { library: "graphql-ws", create: modernClient, ownCodes: [normal] },
  { library: "subscriptions-transport-ws", create: olderClient, ownCodes: [normal, noCode] },
] as const;

const changesQuery = "subscription ($names: [String!]) { appStateChanged(filter: { appNames: $names }) { name enabled } }";
const progressQuery = "subscription ($id: ID!) { operationProgress(id: $id) { done } }";
const runQuery = "subscription ($id: ID!) { activityProgress(runId: $id) { status } }";

/** The libraries double their pauses: on a busy machine the next attempt may be a minute away. */
const reconnectMs = 180_000;
const api = { base_path: "/", upstream_base_url: "http://127.0.0.1:9" };

describe("clients whose server is restarted", () => {
  const watched = uniqueName("com.example.watched");
  const probe = uniqueName("com.example.probe");
  let platform: RunningPlatform;
  /** Clients reach the server through it, so that a test decides when they can connect again. */
  let relay: CuttableRelay;
  let isProbeEnabled = true;

  before(async () => {
    const environment = { APPSERVER_CONTAINERS_START_TIMEOUT: "30m" };
    platform = await RunningPlatform.start({ flags: ["--no-examples"], environment });
    const { hostname: host, port } = new URL(platform.httpUrl);
    relay = await CuttableRelay.to({ host, port: Number(port) });
    for (const name of [watched, probe]) {
      await platform.register(await testApp({ name, web_app: { api }, activities: [{ name: "toil", max_retries: 0 }] }));
      await command(platform, `installApp(name: "${name}") { success }`);
    }
  });
  after(async () => {
    relay?.stop();
    await platform?.stop();
  });

  const enable = (name: string, enabled: boolean) => `setAppEnabled(name: "${name}", enabled: ${enabled}) { success }`;
  const switchProbe = () => {
    isProbeEnabled = !isProbeEnabled;
    return command(platform, enable(probe, isProbeEnabled));
  };
  const restarts = [
    { kind: "a graceful stop", end: () => platform.interrupt(), code: goingAway },
    { kind: "kill -9", end: () => platform.process.kill(), code: lost },
  ] as const;

  /** Ends the server and starts it again. Nothing connects through the relay until `whileAway` has resolved. */
  async function restart(end: () => Promise<unknown>, whileAway: () => Promise<unknown>): Promise<void> {
    await end();
    relay.cut();
    platform.process.start();
    await platform.installed();
    await whileAway();
    relay.restore();
  }

  for (const [index, { library, create, ownCodes }] of clients.entries()) {
    test(`${library}: subscriptions continue after a graceful stop and after kill -9`, async (t) => {
      const slow = uniqueName(`com.example.slow${index}`);
      const gated = await gatedApp(platform, slow);
      t.after(() => gated.remove());
      const session = new ClientSession(create, `ws://127.0.0.1:${relay.port}/graphql`, await platform.sessionToken("admin"));
      t.after(() => session.close());

      const changes = session.follow<Changed>(changesQuery, { names: [watched, probe] });
      assert.deepEqual(await session.run("{ viewer { subject } }"), { viewer: { subject: "user:admin" } });
      const { installApp } = await session.run<{ installApp: { operation: { id: string } } }>(
        `mutation { installApp(name: "${slow}") { operation { id } } }`,
      );
      const progress = session.follow<Progress>(progressQuery, { id: installApp.operation.id });
      const { triggerActivity: run } = await session.run<{ triggerActivity: { id: string } }>(
        `mutation { triggerActivity(appName: "${watched}", activity: "toil") { id } }`,
      );
      const runs = session.follow<Run>(runQuery, { id: run.id });

      const followed = [changes, progress, runs];
      const continuing = followed.map(() => ({ isComplete: false, errors: [] }));
      const statesOf = () => followed.map(({ isComplete, errors }) => ({ isComplete, errors }));
      const changesOf = (name: string) =>
        changes.received.flatMap(({ appStateChanged: app }) => (app.name === name ? [app.enabled] : []));
      const counts = () => ({ probe: changesOf(probe).length, progress: progress.received.length, runs: runs.received.length });

      /** Waits until all subscriptions have begun on the connection that the client has now. */
      async function begun(known: ReturnType<typeof counts>): Promise<void> {
        await until("appStateChanged has begun", async () => {
          await switchProbe();
          return counts().probe > known.probe;
        });
        await until("the others have begun", () => counts().progress > known.progress && counts().runs > known.runs);
      }
      /** Changes the app twice, the second time when the first change was received. */
      async function change(): Promise<void> {
        for (const enabled of [false, true]) {
          const known = changesOf(watched).length;
          await session.run(`mutation { ${enable(watched, enabled)} }`);
          await until("the change was received", () => changesOf(watched).length > known);
        }
      }

      await begun({ probe: 0, progress: 0, runs: 0 });
      await change();
      const [expected, codes]: [boolean[], number[]] = [[false, true], []];
      for (const { kind, end, code } of restarts) {
        const { acknowledged } = session.sockets;
        let known = counts();
        await restart(end, async () => {
          // The old connection brings nothing more.
          known = counts();
          await switchProbe();
        });
        await until(`it has connected again after ${kind}`, () => session.sockets.acknowledged > acknowledged, reconnectMs);
        codes.push(code);
        assert.deepEqual(session.sockets.closed, codes);
        assert.deepEqual(statesOf(), continuing, `nothing was ended by ${kind}`);
        const missed = await session.run(`{ viewer { subject } app(name: "${probe}") { enabled } }`);
        assert.deepEqual(missed, { viewer: { subject: "user:admin" }, app: { enabled: isProbeEnabled } });
        await begun(known);
        await change();
        expected.push(false, true);
        assert.deepEqual(changesOf(watched), expected, `each change was received once after ${kind}`);
      }

      await gated.open();
      await session.run(`mutation { cancelActivityRun(id: "${run.id}") { id } }`);
      await until("the operation and the run have ended", () => progress.isComplete && runs.isComplete);
      assert.deepEqual(
        progress.received.flatMap(({ operationProgress: { done } }) => (done ? [done] : [])),
        [true],
      );
      assert.deepEqual(runs.received.at(-1), { activityProgress: { status: "CANCELED" } });
      changes.unsubscribe();
      await eventually(async () => assert.equal(await openSubscriptions(), 0));
      session.close();
      await until("the connection has closed", () => session.sockets.closed.length > codes.length);
      const [own = 0, ...more] = session.sockets.closed.slice(codes.length);
      assert.ok(
        ownCodes.some((code) => code === own),
        `closed with ${own}`,
      );
      assert.deepEqual([more, session.sockets.acknowledged], [[], 1 + restarts.length]);
      assert.deepEqual(
        statesOf().flatMap(({ errors }) => errors),
        [],
      );
      assert.doesNotMatch(await platform.log(), /"msg":"graphql: /);
    });
  }

  async function openSubscriptions(): Promise<number> {
    const { text } = await send(platform.httpUrl, "/metrics");
    const { name } = metricCatalogue.graphqlSubscriptionsOpen;
    return Number(
      text
        .split("\n")
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length),
    );
  }

  test("a stream of system events continues after the last one that was received, without a loss and without a copy", async (t) => {
    const streamed = uniqueName("com.example.streamed");
    await platform.register(await testApp({ name: streamed, web_app: { api } }));
    await command(platform, `installApp(name: "${streamed}") { success }`);
    const change = async () => {
      for (const enabled of [false, true]) await command(platform, enable(streamed, enabled));
    };
    const shown = ({ id, message }: ShownEvent) => ({ id, message });
    /** Returns the listed events of the app, oldest first. */
    const listed = async () => {
      const { items } = jsonOf(await send(platform.httpUrl, `/api/v2/events?app=${streamed}&first=250`)) as {
        readonly items: readonly ShownEvent[];
      };
      return items.map(shown).toReversed();
    };
    const [first] = await eventually(listed, ({ length }) => length > 0);
    assert.ok(first);
    const events = new FollowedEvents(platform, streamed, first.id);
    t.after(() => events.close());
    const received = () => events.received.map(shown);
    const receivedChanges = () => received().filter(({ message }) => / was (en|dis)abled$/.test(message)).length;

    await events.connect();
    await change();
    let changes = 2;
    await until("the changes were received", () => receivedChanges() === changes);
    for (const { kind, end } of restarts) {
      // The server ends before or after its client has received these.
      await change();
      await restart(end, change);
      await events.ended();
      await events.connect();
      await change();
      changes += 6;
      await until("all changes were received", () => receivedChanges() >= changes);
      await eventually(async () => assert.deepEqual(received(), (await listed()).slice(1), kind));
      assert.equal(receivedChanges(), changes);
    }
  });
});
