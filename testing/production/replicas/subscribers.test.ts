import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { scaled, testApp } from "@appserver/testing/kit";
import {
  collectGarbage,
  inspected,
  type ProductionServices,
  ReplicaGroup,
  residentKb,
  SubscriberCrowd,
  startProductionServices,
} from "@appserver/testing/kit/production";
import { cpuSeconds } from "../../bench/process-cpu.ts";

const name = "test.watched";
const wholeCount = 5_000;
const count = scaled(wholeCount, 300);
/** Timings and memory are asserted only with `--whole`, where no other test runs at the same time. */
const isWhole = count === wholeCount;
const commands = scaled(50, 10);
const maxDelayMs = 1_000;
const maxKbEach = 30;

const started = await startProductionServices();

describe("many subscribers on two servers", { skip: "unavailable" in started ? started.unavailable : false }, () => {
  const services = started as ProductionServices;
  let group: ReplicaGroup;
  let crowd: SubscriberCrowd;
  before(async () => {
    group = await ReplicaGroup.start({ ...services, environment: { ...services.environment, ...inspected } });
    crowd = new SubscriberCrowd();
    const api = { base_path: `/api/apps/${name}`, upstream_base_url: "http://127.0.0.1:9" };
    await group.register(group.server(0), await testApp({ name, web_app: { api } }));
    await group.client(group.server(0)).marketplace.installApp({ name });
  });
  after(async () => {
    await crowd?.stop();
    await group?.stop();
    await services.stop();
  });

  const open = (size: number) =>
    crowd.open(
      group.servers.map(({ httpUrl }) => httpUrl),
      group.adminToken,
      size,
    );
  const residents = (): number => group.servers.reduce((sum, server) => sum + residentKb(server), 0);
  const processorSeconds = (): number => group.servers.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
  /** Returns the resident memory of both servers without garbage, in kB. */
  const needed = async (): Promise<number> => {
    await Promise.all(group.servers.map(collectGarbage));
    return residents();
  };

  /** Disables the app or enables it again. Returns the milliseconds until the last subscriber has the event. */
  const command = async (n: number): Promise<number> => {
    const { events } = crowd;
    const at = Date.now();
    const query = "mutation ($name: String!, $enabled: Boolean!) { setAppEnabled(name: $name, enabled: $enabled) { success } }";
    const { errors } = await group.graphql(group.server(n), query, { name, enabled: n % 2 === 1 });
    assert.equal(errors, undefined);
    return (await crowd.lastReceived(events)) - at;
  };

  const transactions = async (): Promise<number> => {
    const text = "select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()";
    const { rows } = await services.database.query<{ count: number }>(text);
    return rows[0]?.count ?? assert.fail("no statistics");
  };

  test("each receives every event; the cost in transactions is that of the commands", async (t) => {
    // The first connections and events compile code and fill caches.
    await open(scaled(1_000));
    for (let n = 0; n < 4; n++) await command(n);
    await crowd.close();
    const idleKb = await needed();
    const openedAt = Date.now();
    await open(count);
    t.diagnostic(`${count} subscriptions opened in ${Date.now() - openedAt} ms`);
    const kbEach = ((await needed()) - idleKb) / count;
    const transactionsBefore = await transactions();
    const cpuBefore = processorSeconds();
    const startedAt = Date.now();
    const delays: number[] = [];
    for (let n = 0; n < commands; n++) delays.push(await command(n));
    const tookMs = Date.now() - startedAt;
    const cpuMs = ((processorSeconds() - cpuBefore) * 1_000) / commands;
    const largestKb = residents();
    // PostgreSQL counts the transactions of a connection after at most a second.
    await sleep(2_000);
    const cost = (await transactions()) - transactionsBefore;
    const kbEachAfter = ((await needed()) - idleKb) / count;
    delays.sort((a, b) => a - b);
    const p99 = delays[Math.ceil(delays.length * 0.99) - 1] ?? Number.POSITIVE_INFINITY;
    const median = delays[delays.length >> 1] ?? Number.POSITIVE_INFINITY;
    t.diagnostic(`from the request to the event at the last subscriber: median ${median} ms, p99 ${p99} ms`);
    t.diagnostic(`processor time of both servers for each event: ${cpuMs.toFixed(0)} ms`);
    t.diagnostic(`${cost} transactions of all processes for ${commands} commands in ${tookMs} ms`);
    const grown = `each subscriber ${kbEach.toFixed(1)} kB, after the commands ${kbEachAfter.toFixed(1)} kB`;
    t.diagnostic(`resident memory of both servers: ${idleKb} kB; ${grown}; with garbage ${largestKb} kB`);
    assert.deepEqual(crowd.lost, []);
    assert.equal(crowd.events, commands);
    assert.ok(cost < (count * commands) / 2, `${cost} transactions`);
    if (!isWhole) return;
    assert.ok(p99 <= maxDelayMs, `p99 ${p99} ms`);
    assert.ok(kbEachAfter <= maxKbEach, `${kbEachAfter} kB`);
  });
});
