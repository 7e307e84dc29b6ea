import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  containerApi,
  eventually,
  type ProductionPlatform,
  publishApp,
  restartWith,
  send,
  startOwnPostgres,
  type TestPostgres,
  testApp,
  untilRouted,
  untilState,
} from "@appserver/testing/kit";
import { dockerEngineForTests, TestDockerEngine } from "@appserver/testing/kit/docker";
import { startProductionPlatform } from "@appserver/testing/kit/production";
import type { Attack, AttackOrder } from "./attack-order.ts";

const other = "com.example.other";
/** After that, the databases of other apps work again, while the attack continues. */
const recoveryMs = 10_000;
/** Of the platform on the attacked server, after the attack. */
const releaseMs = 5_000;
const answerMs = 2_000;

const attacks: Readonly<Record<Attack, string>> = {
  locks: "takes all locks",
  notifications: "fills the notification queue",
  administration: "keeps its database locked",
};

/** One each, because the orchestrator takes the connections of an app that attacked. */
const attackerOf = (attack: string): string => `com.example.${attack}-attacker`;

const engine = await dockerEngineForTests();
const skip = engine instanceof TestDockerEngine ? false : engine.unavailable;
if (engine instanceof TestDockerEngine) await engine.stop();

/** An action during an attack. */
interface Seen {
  /** When it began: milliseconds from the beginning of the attack. */
  readonly at: number;
  readonly milliseconds: number;
  readonly error?: string;
}

async function seenOf(from: number, act: () => Promise<unknown>): Promise<Seen> {
  const start = performance.now();
  const error = await act().then(
    () => undefined,
    (reason: unknown) => String(reason),
  );
  const seen = { at: start - from, milliseconds: performance.now() - start };
  return error === undefined ? seen : { ...seen, error };
}

async function inTime<T>(what: string, answer: Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await answer;
  const milliseconds = performance.now() - start;
  if (milliseconds > answerMs) throw new Error(`${what} took ${Math.round(milliseconds)} ms`);
  return result;
}

async function installContainer(platform: ProductionPlatform, name: string): Promise<void> {
  await publishApp(platform, name, join(import.meta.dirname, "database-attacker"));
  await platform.register(await testApp({ name, web_app: { api: containerApi(name) } }));
  await platform.client().marketplace.installApp({ name });
  await untilState(platform, name, "RUNNING", 120_000);
  await untilRouted(platform.httpUrl, name, "/sessions");
}

for (const isShared of [false, true])
  describe(`an app in a container attacks by its database, ${isShared ? "on the platform's server" : "on a server of the apps"}`, {
    skip,
  }, () => {
    let server: TestPostgres;
    let platform: ProductionPlatform;
    let number = 0;
    const attackMs = isShared ? 30_000 : 60_000;
    before(async () => {
      server = await startOwnPostgres();
      await restartWith(server, "max_notify_queue_pages", 64);
      const started = await startProductionPlatform({
        appsPostgres: server,
        ...(isShared && { postgres: server }),
        environment: { APPSERVER_CONTAINERS_DATABASE_SHARED_SERVER: String(isShared) },
      });
      if ("unavailable" in started) throw new Error(started.unavailable);
      platform = started;
      for (const name of [other, ...Object.keys(attacks).map(attackerOf)]) await installContainer(platform, name);
    });
    after(async () => {
      await platform?.stop();
      await server?.stop();
    });

    const ask = async (name: string, path: string, body?: object): Promise<unknown> => {
      const { status, text } = await send(platform.httpUrl, `/api/apps/${name}${path}`, {
        method: path === "/sessions" ? "GET" : "POST",
        headers: { "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      assert.equal(status, 200, text);
      return JSON.parse(text);
    };
    /** What needs the platform's database: an app without a container is registered, installed and set. */
    const usePlatform = async (): Promise<void> => {
      number += 1;
      const name = `com.example.attacked${number}`;
      const { marketplace, settings } = platform.client();
      const api = { base_path: `/api/apps/${name}`, upstream_base_url: "http://127.0.0.1:9" };
      const settingDefinitions = { definitions: [{ key: "title", data_type: "STRING" }] };
      const manifest = await testApp({ name, web_app: { api }, settings: settingDefinitions });
      await inTime("registration", platform.register(manifest));
      const { app } = await inTime("installation", marketplace.installApp({ name }));
      await inTime("a setting", settings.updateSettings({ appId: app?.id ?? "", values: { title: "set" } }));
    };

    for (const [attack, what] of Object.entries(attacks) as [Attack, string][])
      test(`it ${what}`, async () => {
        const from = performance.now();
        const order: AttackOrder = { attack, milliseconds: attackMs };
        await ask(attackerOf(attack), "/attack", order);
        const [uses, writes, statuses]: [Seen[], Seen[], Set<number>] = [[], [], new Set()];
        const installation = sleep(1_000).then(() =>
          seenOf(from, () => installContainer(platform, `com.example.late-${isShared}-${attack}`)),
        );
        while (performance.now() - from < attackMs) {
          uses.push(await seenOf(from, usePlatform));
          writes.push(await seenOf(from, () => ask(other, "/write")));
          statuses.add((await send(platform.httpUrl, "/ready")).status);
          await sleep(200);
        }
        const { sessions } = (await ask(attackerOf(attack), "/sessions")) as { readonly sessions: number };
        // The orchestrator ends sessions that use up what all apps share.
        assert.ok(sessions > (attack === "administration" ? 0 : 1), `nothing was attacked: ${sessions} sessions`);
        const late = writes.filter(({ at, error }) => at > recoveryMs && error !== undefined);
        if (isShared) {
          for (const { error } of uses) if (error !== undefined) assert.match(error, /retry later$/);
          const options = { timeoutMs: releaseMs, what: "the platform has recovered" };
          await eventually(usePlatform, undefined, options);
          await eventually(async () => (await send(platform.httpUrl, "/ready")).status === 200, undefined, options);
          const { error } = await installation;
          if (error !== undefined) assert.match(error, /retry later/);
          return;
        }
        assert.deepEqual(
          uses.filter(({ error }) => error !== undefined),
          [],
        );
        assert.deepEqual([...statuses], [200]);
        assert.deepEqual(late, []);
        const { error, at, milliseconds } = await installation;
        assert.equal(error, undefined);
        assert.ok(at + milliseconds < attackMs, "an installation with a database waited for the end of the attack");
      });
  });
