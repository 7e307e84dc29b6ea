import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually, RunningPlatform, send, testApp, untilState } from "@appserver/testing/kit";
import pg from "pg";
import { appProcess } from "../../contract/app-process.ts";

const [attacker, other] = ["com.example.notes", "com.example.clock"];
const attackMs = 20_000;
const skip = process.platform === "linux" ? false : "needs /proc";

/** What an app does with a connection to its own database. Rejects or resolves when it can do no more. */
type Attack = (client: pg.Client, own: pg.ClientConfig) => Promise<unknown>;

const attacks: Readonly<Record<string, Attack>> = {
  "takes all locks": async (client) => {
    await client.query("select count(pg_advisory_lock(i)) from generate_series(1, 200000) i").catch(() => {});
    for (let n = 300_000; n < 300_100; n += 1) await client.query(`select pg_advisory_lock(${n})`);
  },
  "fills the notification queue": async (client, own) => {
    await client.query("listen kept; begin; select 1");
    const notifier = await connect(own);
    try {
      for (;;) await notifier.query("select pg_notify('kept', repeat('x', 7000) || g) from generate_series(1, 200) g");
    } finally {
      await notifier.end();
    }
  },
  "keeps its database locked": (client, { database }) =>
    client.query(`begin; grant connect on database "${database}" to public`),
};

async function connect(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config);
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** Repeats the attack with a new connection whenever one was ended, until the signal aborts. */
async function attackUntil(signal: AbortSignal, own: pg.ClientConfig, attack: Attack): Promise<void> {
  while (!signal.aborted) {
    const client = await connect(own).catch(() => undefined);
    if (client) {
      const ended = new Promise<void>((resolve) => client.once("end", resolve));
      const over = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      await client.query("set statement_timeout = 0; set idle_in_transaction_session_timeout = 0").catch(() => {});
      await attack(client, own).catch(() => {});
      await Promise.race([ended, over]);
      await client.end().catch(() => {});
    }
    await sleep(20);
  }
}

for (const isShared of [false, true])
  describe(`an app attacks by its own database, ${isShared ? "on the platform's server" : "on a server of the apps"}`, {
    skip,
  }, () => {
    let platform: RunningPlatform;
    let number = 0;
    before(async () => {
      const environment = { APPSERVER_CONTAINERS_DATABASE_SHARED_SERVER: String(isShared) };
      platform = await RunningPlatform.start({ environment });
      for (const name of [attacker, other]) await untilState(platform, name, "RUNNING", 60_000);
    });
    after(() => platform?.stop());

    const loginOf = (name: string): pg.ClientConfig => {
      const lines = appProcess(platform, name)?.environment ?? [];
      const variable = (key: string): string => lines.find((line) => line.startsWith(`${key}=`))?.slice(key.length + 1) ?? "";
      const [host, database, user, password] = ["DB_HOST", "DB_NAME", "DB_USER", "DB_PASSWORD"].map(variable);
      return { host, port: Number(variable("DB_PORT")), database, user, password } as pg.ClientConfig;
    };
    const register = async (): Promise<number> => {
      number += 1;
      const name = `com.example.attacked${number}`;
      const api = { base_path: `/api/apps/${name}`, upstream_base_url: `http://app-${name}:3000` };
      const app = await testApp({ name, web_app: { api } });
      const from = performance.now();
      await platform.register(app);
      return performance.now() - from;
    };
    const writeAsOther = async (): Promise<void> => {
      const client = await connect(loginOf(other));
      try {
        await client.query("create table if not exists attacked (at timestamptz)");
        await client.query("insert into attacked values (now())");
        await client.query("notify attacked");
      } finally {
        await client.end();
      }
    };

    for (const [what, attack] of Object.entries(attacks))
      test(`it ${what}`, async () => {
        const over = new AbortController();
        const attacking = attackUntil(over.signal, loginOf(attacker), attack);
        const begin = performance.now();
        const [times, statuses, codes]: [number[], Set<number>, Set<string>] = [[], new Set(), new Set()];
        const recovered = eventually(writeAsOther, undefined, { timeoutMs: 10_000 }).catch((error: unknown) => error);
        while (performance.now() - begin < attackMs) {
          await register().then(
            (ms) => times.push(ms),
            (error: unknown) => codes.add(String((error as { readonly rawMessage?: unknown }).rawMessage)),
          );
          statuses.add((await send(platform.httpUrl, "/ready")).status);
          await sleep(200);
        }
        const failure = await recovered;
        over.abort();
        await attacking;
        if (isShared) {
          for (const message of codes) assert.match(message, /retry later$/);
          await eventually(register, undefined, { timeoutMs: 5_000 });
          await eventually(async () => (await send(platform.httpUrl, "/ready")).status === 200, undefined, {
            timeoutMs: 5_000,
          });
          return;
        }
        assert.deepEqual([...codes], []);
        assert.deepEqual([...statuses], [200]);
        assert.ok(
          times.length > 0 && Math.max(...times) < 2_000,
          `${times.length} registrations, slowest ${Math.max(...times)} ms`,
        );
        assert.equal(failure, undefined);
      });
  });
