import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { scaled } from "@appserver/testing/kit";
import {
  backendCosts,
  collectGarbage,
  inspected,
  measureCosts,
  type ProductionServices,
  ReplicaGroup,
  residentKb,
  SubscriberCrowd,
  startProductionServices,
  WatchedApp,
} from "@appserver/testing/kit/production";
import { cpuSeconds } from "../../bench/process-cpu.ts";

const wholeCount = 5_000;
const count = scaled(wholeCount, 300);
/** Timings and memory are asserted only with `--whole`, where no other test runs at the same time. */
const isWhole = count === wholeCount;
const commands = scaled(50, 10);
const maxDelayMs = 1_000;
const maxKbEach = 30;

const subjects = 10;
/** So many that a read or a check for each of them would exceed the limits many times over. */
const countOfSubjects = scaled(2_000, 400);
const commandsOfSubjects = 4;
const maxTransactions = 300;
/** After a change of permissions every connection has been checked again within this time. */
const recheckedMs = 5_000;

const started = await startProductionServices();

describe("many subscribers on two servers", { skip: "unavailable" in started ? started.unavailable : false }, () => {
  const services = started as ProductionServices;
  let group: ReplicaGroup;
  let crowd: SubscriberCrowd;
  let app: WatchedApp;
  before(async () => {
    group = await ReplicaGroup.start({ ...services, environment: { ...services.environment, ...inspected } });
    crowd = new SubscriberCrowd();
    app = await WatchedApp.install(group, crowd);
  });
  after(async () => {
    await app?.stop();
    await crowd?.stop();
    await group?.stop();
    await services.stop();
  });

  const open = (size: number, tokens: readonly string[] = [group.adminToken]) =>
    crowd.open(
      group.servers.map(({ httpUrl }) => httpUrl),
      tokens,
      size,
    );
  const residents = (): number => group.servers.reduce((sum, server) => sum + residentKb(server), 0);
  const processorSeconds = (): number => group.servers.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
  /** Returns the resident memory of both servers without garbage, in kB. */
  const needed = async (): Promise<number> => {
    await Promise.all(group.servers.map(collectGarbage));
    return residents();
  };
  const change = async (times: number): Promise<readonly number[]> => {
    const delays: number[] = [];
    for (let n = 0; n < times; n++) delays.push((await app.change()).fromRequestMs);
    return delays.sort((a, b) => a - b);
  };

  test("each receives every event", async (t) => {
    // The first connections and events compile code and fill caches.
    await open(scaled(1_000));
    await change(4);
    await crowd.close();
    const idleKb = await needed();
    const openedAt = Date.now();
    await open(count);
    t.diagnostic(`${count} subscriptions opened in ${Date.now() - openedAt} ms`);
    const kbEach = ((await needed()) - idleKb) / count;
    const cpuBefore = processorSeconds();
    const delays = await change(commands);
    const cpuMs = ((processorSeconds() - cpuBefore) * 1_000) / commands;
    const largestKb = residents();
    const kbEachAfter = ((await needed()) - idleKb) / count;
    const p99 = delays[Math.ceil(delays.length * 0.99) - 1] ?? Number.POSITIVE_INFINITY;
    const median = delays[delays.length >> 1] ?? Number.POSITIVE_INFINITY;
    t.diagnostic(`from the request to the event at the last subscriber: median ${median} ms, p99 ${p99} ms`);
    t.diagnostic(`processor time of both servers for each event: ${cpuMs.toFixed(0)} ms`);
    const grown = `each subscriber ${kbEach.toFixed(1)} kB, after the commands ${kbEachAfter.toFixed(1)} kB`;
    t.diagnostic(`resident memory of both servers: ${idleKb} kB; ${grown}; with garbage ${largestKb} kB`);
    assert.deepEqual(crowd.lost, []);
    assert.equal(crowd.events, commands);
    await crowd.close();
    if (!isWhole) return;
    assert.ok(p99 <= maxDelayMs, `p99 ${p99} ms`);
    assert.ok(kbEachAfter <= maxKbEach, `${kbEachAfter} kB`);
  });

  test("commands cost the same with any number of subscribers, and permissions are checked once for each subject", async (t) => {
    await open(countOfSubjects, await group.watchers(subjects));
    const events = await measureCosts(services, group.servers, () => change(commandsOfSubjects));
    t.diagnostic(
      `${commandsOfSubjects} commands: ${events.transactionsAboveIdle} transactions, ${events.transactions} with those of idle servers; ${events.checks} checks`,
    );
    const before = await backendCosts(services, group.servers);
    await group.changeEveryPermission();
    await sleep(recheckedMs);
    const checks = (await backendCosts(services, group.servers)).checks - before.checks;
    t.diagnostic(`a change of the permissions of all: ${checks} checks`);
    assert.deepEqual([crowd.events, crowd.lost], [commandsOfSubjects, []]);
    assert.ok(events.transactionsAboveIdle <= maxTransactions, `${events.transactionsAboveIdle} transactions`);
    assert.ok(events.checks <= commandsOfSubjects * subjects, `${events.checks} checks`);
    // Each server checks each subject and the administrator again; a slow machine does so after every second that it takes.
    const oncePerSubject = (subjects + 1) * group.servers.length;
    assert.ok(checks >= subjects, `${checks} checks: the subscribers were not checked again`);
    assert.ok(checks <= oncePerSubject * 3, `${checks} checks`);
    await crowd.close();
  });
});
