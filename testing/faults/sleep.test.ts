import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, suite, test } from "node:test";
import { eventually, until } from "@appserver/testing/kit";
import { dataOf } from "../contract/commands.ts";
import { appProcesses } from "./app-processes.ts";
import { type CommitPoint, CommitPoints } from "./commit-points.ts";
import { FaultyPlatform, prepareSampleApps } from "./faulty-platform.ts";

const skip = process.platform === "linux" ? false : "needs /proc";
const [notes, clock] = ["com.example.notes", "com.example.clock"] as const;
const sleepAfterMs = 1_500;
const timeoutMs = 60_000;
/** How long the last commits follow, on a busy machine. */
const afterMs = 10_000;
/** What falling asleep and waking up write. */
const ofSleep = /orchestration\.deployments|marketplace\.(apps|drains)/;

interface Shown {
  readonly app: { readonly state: string; readonly asleepSince: string | null };
  readonly hookDeliveries: { readonly edges: readonly { readonly node: { eventId: string; status: string } }[] };
}

/** docs/interface/sleep.md: server and orchestrator in one process, and the clock, to which a hook is due. */
suite("kill -9 while an app falls asleep and while it wakes up", { skip }, () => {
  const points = new CommitPoints();
  let platform: FaultyPlatform;
  before(async () => {
    await prepareSampleApps();
    platform = await FaultyPlatform.create({
      environment: {
        ...points.environment,
        APPSERVER_APPS_SLEEP_AFTER: `${sleepAfterMs}ms`,
        // Every round wakes the app by a public route.
        APPSERVER_APPS_PUBLIC_WAKES_PER_ADDRESS: "1000",
        APPSERVER_APPS_PUBLIC_WAKES: "1000",
      },
    });
    for (const name of [notes, clock]) await dataOf(platform, `mutation { installApp(name: "${name}") { success } }`);
    await untilAwake();
    // It takes the hook, too. Only the clock is to sleep. The platform reads the setting at its start.
    const { app } = await dataOf<{ app: { id: string } }>(platform, `{ app(name: "${notes}") { id } }`);
    const set = "mutation ($id: ID!, $s: JSON!) { updateSettings(appID: $id, settings: $s) { success } }";
    await dataOf(platform, set, { id: app.id, s: { "app.sleep_after": "never" } });
    await platform.watched.kill();
    await platform.restart();
  });
  after(async () => {
    await platform?.remove();
    points.remove();
  });

  const processes = () => appProcesses(platform.dataDir).filter(({ appName }) => appName === clock);
  const shown = () =>
    dataOf<Shown>(
      platform,
      `{ app(name: "${clock}") { state asleepSince }
         hookDeliveries(appName: "${clock}", first: 100) { edges { node { eventId status } } } }`,
    );
  const untilAwake = () =>
    eventually(
      () => platform.publicRoute(clock),
      (status) => status === 200,
      { timeoutMs, what: "the clock responds" },
    );
  const hasEnded = () => !platform.watched.isRunning;
  const isAsleep = async () => (await shown()).app.asleepSince !== null && processes().length === 0;
  const trigger = async (): Promise<string> => {
    const mutation = `mutation ($data: JSON) { triggerHook(name: "${notes}.created", data: $data) { eventId } }`;
    const data = { id: randomUUID(), createdAt: new Date().toISOString() };
    return (await dataOf<{ triggerHook: { eventId: string } }>(platform, mutation, { data })).triggerHook.eventId;
  };
  /** Waits until the hook has been delivered to the clock, by one delivery. */
  const untilDelivered = async (eventId: string): Promise<void> => {
    const ofEvent = ({ hookDeliveries: { edges } }: Shown) =>
      edges.filter(({ node }) => node.eventId === eventId).map(({ node }) => node.status);
    const isOver = (seen: Shown): boolean => ofEvent(seen).some((status) => status === "DELIVERED" || status === "DEAD");
    const seen = await eventually(shown, isOver, { timeoutMs, what: "the hook is delivered" });
    assert.deepEqual(ofEvent(seen), ["DELIVERED"]);
  };
  /** From an app that is awake until it has fallen asleep and has been woken by a hook, or the platform has ended. */
  const cycle = async (): Promise<string | undefined> => {
    await until("the clock is asleep", async () => hasEnded() || (await isAsleep()), timeoutMs);
    if (hasEnded()) return undefined;
    const eventId = await trigger().catch(() => until("the platform has ended", hasEnded, timeoutMs));
    if (!eventId) return undefined;
    const isAwake = async () => (await shown()).app.asleepSince === null;
    await until("the clock is awake", async () => hasEnded() || (await isAwake()), timeoutMs);
    return eventId;
  };

  /** Lets the app fall asleep and wakes it, and kills the platform at the commit. Returns whether it was reached. */
  const killAt = async (step: CommitPoint): Promise<boolean> => {
    points.arm({ ...step, moment: "after" });
    const due = await cycle();
    // The last commits follow what requests show.
    const isReached = await until("the kill", hasEnded, afterMs).then(
      () => true,
      () => false,
    );
    points.arm();
    if (isReached) await platform.restart();
    await untilDelivered(due ?? (await trigger()));
    await untilAwake();
    assert.equal(processes().length, 1);
    assert.equal((await shown()).app.state, "RUNNING");
    return isReached;
  };

  test("the next start continues: a request is answered, the app has one process, and a due hook is delivered once", async (t) => {
    const undisturbed = async () => untilDelivered((await cycle()) ?? assert.fail("the platform has ended"));
    // The commits are counted from a wake-up on.
    await undisturbed();
    points.arm();
    await undisturbed();
    const steps = points.listed().filter(({ writes }) => ofSleep.test(writes));
    let reached = 0;
    for (const step of steps) {
      await untilAwake();
      const isReached = await killAt(step);
      if (isReached) reached += 1;
      t.diagnostic(`${isReached ? "killed" : "not reached"}: ${step.writes} ${step.number}`);
    }
    // The requests, ASLEEP, STARTING and HEALTHY, the app twice, and a report.
    assert.ok(reached >= 8, `${reached} of ${JSON.stringify(steps)}`);
  });
});
