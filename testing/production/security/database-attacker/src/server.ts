import { setTimeout as sleep } from "node:timers/promises";
import { appEnvironment, serveApp, stopOnSignals } from "@appserver/sdk";
import pg from "pg";
import type { Attack, AttackOrder } from "../../attack-order.ts";

const { host, port } = appEnvironment(process.env);
const own = {
  host: process.env["DB_HOST"],
  port: Number(process.env["DB_PORT"]),
  database: process.env["DB_NAME"],
  user: process.env["DB_USER"],
  password: process.env["DB_PASSWORD"],
  connectionTimeoutMillis: 2_000,
};
/** Of the attack that began last. */
let sessions = 0;

/** What a session does until it can do no more. */
const attacks: Readonly<Record<Attack, (client: pg.Client) => Promise<unknown>>> = {
  locks: async (client) => {
    await client.query("select count(pg_advisory_lock(i)) from generate_series(1, 200000) i").catch(() => {});
    for (let n = 300_000; n < 300_100; n += 1) await client.query(`select pg_advisory_lock(${n})`);
  },
  notifications: async (client) => {
    // In one query, the transaction would include the LISTEN, which has an effect only after it.
    await client.query("listen kept");
    await client.query("begin; select 1");
    const notifier = await connect();
    client.once("end", () => void notifier.end());
    // Fails when the queue is full, which the first session keeps so.
    for (;;) await notifier.query("select pg_notify('kept', repeat('x', 7000) || g) from generate_series(1, 200) g");
  },
  administration: (client) => client.query(`begin; grant connect on database "${own.database}" to public`),
};

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(own);
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** Repeats the attack with a new session whenever one was ended. */
async function attackFor({ attack, milliseconds }: AttackOrder): Promise<void> {
  const over = sleep(milliseconds).then(() => "over");
  for (let isOver = false; !isOver; ) {
    const client = await connect().catch(() => undefined);
    if (client) {
      sessions += 1;
      const ended = new Promise<string>((resolve) => client.once("end", () => resolve("ended")));
      await client.query("set statement_timeout = 0; set idle_in_transaction_session_timeout = 0").catch(() => {});
      attacks[attack](client).catch(() => {});
      isOver = (await Promise.race([ended, over])) === "over";
      void client.end().catch(() => {});
    }
    isOver ||= (await Promise.race([sleep(20), over])) === "over";
  }
}

const app = await serveApp({
  host,
  port,
  routes: {
    "POST /attack": async (call) => {
      sessions = 0;
      void attackFor((await call.json()) as AttackOrder);
      return { json: {} };
    },
    "GET /sessions": async () => ({ json: { sessions } }),
    "POST /write": async () => {
      const client = await connect();
      try {
        await client.query("create table if not exists written (at timestamptz)");
        await client.query("insert into written values (now())");
        await client.query("notify written");
      } finally {
        await client.end();
      }
      return { json: {} };
    },
  },
});
stopOnSignals({ port: app.port, stop: () => app.stop() });
