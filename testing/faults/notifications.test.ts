import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "@appserver/kernel/ports";
import { embeddedConnection, eventually, onDatabase, type RunningPlatform, scaled, testApp } from "@appserver/testing/kit";
import { createAppserver, removeAppserver } from "./faulty-platform.ts";
import { chance, seed } from "./random.ts";

const app = "com.example.announced";
const kills = scaled(8);
const maxLifeMs = 4_000;
const settleMs = 120_000;

suite("kill -9 while events go to a notification target", () => {
  /** Ids of messages that the receiver took. */
  const taken: string[] = [];
  let isAway = false;
  let receiver: Server;
  let platform: RunningPlatform;
  let targetId = "";
  before(async () => {
    receiver = createServer((request, response) => {
      request.resume().on("end", () => {
        if (!isAway) taken.push(String(request.headers["webhook-id"]));
        response.writeHead(isAway ? 503 : 200, { connection: "close" }).end();
      });
    });
    await once(receiver.listen(0, "127.0.0.1"), "listening");
    platform = await createAppserver({ flags: ["--no-examples"] });
    platform.process.start();
    await platform.ready();
    const api = { base_path: "/", upstream_base_url: "http://127.0.0.1:9" };
    await platform.register(await testApp({ name: app, web_app: { api } }));
    await ask(`mutation { installApp(name: "${app}") { success } }`);
    // A target gets the events that are published after its creation.
    await eventually(
      () => sql((database) => database.query("select 1 from platform.outbox")),
      ({ count }) => count === 0,
    );
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const created = await ask<{ createNotificationTarget: { target: { id: string } } }>(
      `mutation { createNotificationTarget(name: "watcher", kind: WEBHOOK, url: "${url}", types: [APP_STATE_CHANGED]) { target { id } } }`,
    );
    targetId = created.createNotificationTarget.target.id;
  });
  after(async () => {
    await removeAppserver(platform);
    receiver.closeAllConnections();
    receiver.close();
  });

  async function ask<T = unknown>(query: string): Promise<T> {
    const { data, errors } = await platform.graphql(query);
    assert.equal(errors, undefined, JSON.stringify(errors));
    return data as T;
  }

  /** Returns whether the change is acknowledged. */
  async function change(enabled: boolean): Promise<boolean> {
    const answer = await platform
      .graphql(`mutation { setAppEnabled(name: "${app}", enabled: ${enabled}) { success } }`)
      .catch(() => undefined);
    return answer?.data != null && answer.errors === undefined;
  }

  async function sql<T>(work: (database: Database) => Promise<T>): Promise<T> {
    return onDatabase(await embeddedConnection(platform.dataDir), work);
  }

  /** Ids of the events of the type, in the order of their publication. */
  async function published(): Promise<readonly string[]> {
    const { rows } = await sql((database) =>
      database.query<{ id: string }>(
        "select id from platform.event_history where type = 'APP_STATE_CHANGED' and app_name = $1 order by position",
        [app],
      ),
    );
    return rows.map(({ id }) => id);
  }

  async function stored(): Promise<readonly { readonly event_id: string; readonly status: string }[]> {
    const { rows } = await sql((database) =>
      database.query<{ event_id: string; status: string }>(
        "select event_id, status from hooks.deliveries where app_name = $1",
        [`target:${targetId}`],
      ),
    );
    return rows;
  }

  test(`${kills} kills: each event has one delivery, and the receiver gets it`, async (t) => {
    t.diagnostic(`APPSERVER_FAULT_SEED=${seed}`);
    const random = chance();
    const earlier = new Set(await published());
    let acknowledged = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      // Later attempts wait for longer than a test does.
      isAway = kill === 0;
      const over = performance.now() + random.below(maxLifeMs);
      for (let turn = 0; performance.now() < over; turn += 1) {
        if (await change(turn % 2 !== 0)) acknowledged += 1;
        await sleep(100);
      }
      await platform.process.kill();
      platform.process.start();
      await platform.ready();
    }
    isAway = false;
    const expected = await eventually(
      async () => {
        const [events, deliveries] = [(await published()).filter((id) => !earlier.has(id)), await stored()];
        const isSettled = deliveries.length === events.length && deliveries.every(({ status }) => status === "DELIVERED");
        return isSettled ? { events, deliveries } : undefined;
      },
      (found) => found !== undefined,
      { timeoutMs: settleMs, what: "every event is delivered" },
    );
    const { events = [], deliveries = [] } = expected ?? {};
    const ids = deliveries.map(({ event_id }) => event_id);
    assert.deepEqual(ids.toSorted(), events.toSorted(), "one delivery for each event");
    assert.deepEqual([...new Set(taken)].sort(), events.toSorted(), "the receiver has each event");
    t.diagnostic(`${acknowledged} changes, ${events.length} events, ${taken.length} messages`);
    assert.ok(events.length > 0 && acknowledged > 0);
  });
});
