import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { freezePostgres, send, until } from "@appserver/testing/kit";
import { ProductionServer, startProductionServices } from "@appserver/testing/kit/production";
import { startPrivatePostgres } from "../../tools/services/postgres.ts";
import { ensureRabbitMq } from "../../tools/services/rabbitmq.ts";
import { ProductionUnderFault } from "./production-under-fault.ts";

const folder = await mkdtemp(join(tmpdir(), "appserver-database-"));
const started = await startServers();
const skip = "unavailable" in started ? started.unavailable : false;

/** Number of responses of each kind that are checked while the database is up, down, and up again. */
const responses = 12;
/** The pool must work again within 5 s (docs/interface/operations.md#outages). */
const backWithinMs = 5_000;
/** Longer than any response may take. */
const frozenMs = 25_000;
const lateMs = 20_000;

async function startServers() {
  const postgres = await startPrivatePostgres(folder);
  if ("unavailable" in postgres) return postgres;
  const rabbitmq = await ensureRabbitMq();
  if ("unavailable" in rabbitmq) return rabbitmq;
  const services = await startProductionServices({ postgres });
  return "unavailable" in services ? services : { postgres, rabbitmq, services };
}

describe("two servers while PostgreSQL fails", { skip }, () => {
  if ("unavailable" in started) return;
  const { postgres, rabbitmq, services } = started;
  let platform: ProductionUnderFault;

  before(async () => {
    platform = await ProductionUnderFault.start(services, rabbitmq.ctl);
  });
  after(async () => {
    await platform?.stop();
    await services.stop();
    await rabbitmq.stop();
    await postgres.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const readiness = async (): Promise<readonly number[]> => {
    const probes = platform.group.servers.map(({ httpUrl }) => send(httpUrl, "/ready"));
    return (await Promise.all(probes)).map(({ status }) => status);
  };
  const areReady = async (): Promise<boolean> => (await readiness()).every((status) => status === 200);

  test("killed under load: calls of running apps continue, the rest returns 503, and the servers recover by themselves", async (t) => {
    const load = platform.load("PostgreSQL up", ["public", "cookie", "signed", "query", "command"]);
    await load.responded(responses);
    load.enter("PostgreSQL dies");
    await postgres.kill();
    load.enter("PostgreSQL killed");
    await load.responded(responses);
    await until("/ready is 503", async () => (await readiness()).every((status) => status === 503));
    for (const { httpUrl } of platform.group.servers) assert.equal((await send(httpUrl, "/health")).status, 200);
    load.enter("PostgreSQL starts");
    await postgres.start();
    const returnedAt = performance.now();
    await until("both servers are ready", areReady);
    const tookMs = Math.round(performance.now() - returnedAt);
    t.diagnostic(`/ready is 200 again ${tookMs} ms after PostgreSQL takes connections`);
    await load.recovered("query");
    load.enter("PostgreSQL back");
    await load.responded(responses);
    await load.stop();
    for (const line of load.report()) t.diagnostic(line);
    const calls = { public: [200], cookie: [200], signed: [200] };
    const changing = { ...calls, query: [200, 503], command: [200, 409, 503] };
    assert.deepEqual(
      [
        ...load.wrong("PostgreSQL up", { ...calls, query: [200], command: [200, 409] }),
        ...load.wrong("PostgreSQL dies", changing),
        ...load.wrong("PostgreSQL killed", { ...calls, query: [503], command: [503] }),
        ...load.wrong("PostgreSQL starts", changing),
        ...load.wrong("PostgreSQL back", { ...calls, query: [200], command: [200, 409] }),
      ],
      [],
    );
    assert.ok(tookMs < backWithinMs, `${tookMs} ms`);
    t.diagnostic(await platform.settled());
  });

  test("frozen under load: calls of running apps continue, the rest returns 503 in time, and the servers recover by themselves", async (t) => {
    const { rows } = await services.database.query<{ data_directory: string }>("show data_directory");
    const [postmaster] = readFileSync(join(rows[0]?.data_directory ?? "", "postmaster.pid"), "utf8").split("\n");
    const load = platform.load("PostgreSQL up", ["public", "cookie", "signed", "query", "command"]);
    await load.responded(responses);
    load.enter("PostgreSQL freezes");
    const thawed = freezePostgres(Number(postmaster), frozenMs);
    load.enter("PostgreSQL frozen");
    await thawed;
    load.enter("PostgreSQL resumed");
    await until("both servers are ready", areReady);
    await load.recovered("query");
    await load.stop();
    for (const line of load.report()) t.diagnostic(line);
    // Apps' keys are cached for 30 s without the database. After that signed calls are refused.
    const calls = { public: [200], cookie: [200], signed: [200, 503] };
    assert.deepEqual(
      [
        ...load.wrong("PostgreSQL frozen", { ...calls, query: [503], command: [503] }),
        ...load.wrong("PostgreSQL resumed", { ...calls, query: [200, 503], command: [200, 409, 503] }),
      ],
      [],
    );
    for (const kind of ["query", "command"] as const)
      assert.ok(load.slowestMs(kind) < lateMs, `${kind}: ${load.slowestMs(kind)} ms`);
    t.diagnostic(await platform.settled());
  });

  test("down when a server starts: /health 200, /ready 503, and the server becomes ready with the database", async (t) => {
    await postgres.kill();
    const late = await ProductionServer.create(services.environment);
    try {
      late.start();
      const status = (path: string) =>
        send(late.httpUrl, path).then(
          (answer) => answer.status,
          () => 0,
        );
      await until("/health is 200", async () => (await status("/health")) === 200);
      assert.deepEqual([await status("/ready"), await status("/api/apps/test.answering/public")], [503, 503]);
      await postgres.start();
      const returnedAt = performance.now();
      await late.ready();
      t.diagnostic(`it is ready ${Math.round(performance.now() - returnedAt)} ms after PostgreSQL takes connections`);
      assert.equal(await platform.query(late.httpUrl), 200);
      await until("the others are ready", areReady);
    } finally {
      assert.equal(await late.stop(), 0);
    }
    t.diagnostic(await platform.settled());
  });
});
