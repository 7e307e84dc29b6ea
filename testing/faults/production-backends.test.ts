import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { send, until } from "@appserver/testing/kit";
import { startProductionServices } from "@appserver/testing/kit/production";
import { startPrivateKratos } from "../../tools/services/kratos.ts";
import { startPrivateOpenFga } from "../../tools/services/openfga.ts";
import { startPrivateRabbitMq } from "../../tools/services/rabbitmq.ts";
import { startRedis } from "../../tools/services/redis.ts";
import { answering, limit } from "../production/replicas/sample-apps.ts";
import { ProductionUnderFault } from "./production-under-fault.ts";

const folder = await mkdtemp(join(tmpdir(), "appserver-backends-"));
const started = await startServers();
const skip = "unavailable" in started ? started.unavailable : false;

/** Number of responses of each kind that are checked while a backend is up, down, and up again. */
const responses = 12;
const commandsMayConflict = [200, 409] as const;
const calls = { public: [200], cookie: [200], signed: [200] } as const;
const everything = { ...calls, query: [200], command: commandsMayConflict } as const;

/** The servers that may be unavailable start first: if one is missing, no other is left running. */
async function startServers() {
  const openfga = await startPrivateOpenFga(join(folder, "openfga"), { datastore: "sqlite" });
  if ("unavailable" in openfga) return openfga;
  const kratos = await startPrivateKratos(join(folder, "kratos"));
  if ("unavailable" in kratos) return await without(kratos, openfga);
  const redis = await startRedis();
  if ("unavailable" in redis) return await without(redis, openfga, kratos);
  const rabbitmq = await startPrivateRabbitMq(join(folder, "rabbitmq"));
  if ("unavailable" in rabbitmq) return await without(rabbitmq, openfga, kratos, redis);
  const services = await startProductionServices({ redis, rabbitmq, openfga, kratos });
  if ("unavailable" in services) return await without(services, openfga, kratos, redis, rabbitmq);
  // Five times the default, so that a pause of the whole machine does not count as a failure of Redis, and only OpenFGA is
  // down.
  const environment = { ...services.environment, APPSERVER_REDIS_TIMEOUT: "250ms" };
  return { redis, rabbitmq, openfga, kratos, services: { ...services, environment } };
}

async function without(missing: { unavailable: string }, ...running: readonly { stop(): Promise<void> }[]) {
  for (const server of running) await server.stop();
  return missing;
}

describe("two servers under load while each backend is killed and started again", { skip }, () => {
  if ("unavailable" in started) return;
  const { redis, rabbitmq, openfga, kratos, services } = started;
  let platform: ProductionUnderFault;

  before(async () => {
    platform = await ProductionUnderFault.start(services, rabbitmq.ctl);
  });
  after(async () => {
    await platform?.stop();
    await services.stop();
    for (const server of [kratos, openfga, rabbitmq, redis]) await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const servers = () => platform.group.servers.map(({ httpUrl }) => httpUrl);
  const limited = async (): Promise<{ readonly allowed: number; readonly statuses: ReadonlySet<number> }> => {
    const calls = Array.from({ length: 4 * limit }, (_, n) => {
      return platform.sendCookie(platform.group.server(n).httpUrl, "0", "/limited");
    });
    const statuses = await Promise.all(calls);
    return { allowed: statuses.filter((status) => status === 200).length, statuses: new Set(statuses) };
  };

  test("Redis, killed and frozen: no 500, each process counts its own calls and remembers the signatures that it has accepted", async (t) => {
    const load = platform.load("Redis up", ["public", "cookie", "signed", "query", "command"]);
    await load.responded(responses);
    load.enter("Redis killed");
    await redis.kill();
    await load.responded(responses);
    // Signed calls that a process accepted before and during the failure: it refuses a replay of either.
    const request = platform.signedWrite("replayed");
    const url = platform.group.server(0).httpUrl;
    const write = () => send(url, `/api/apps/${answering}/write`, request).then(({ status }) => status);
    assert.deepEqual([await write(), await write()], [200, 401]);
    const { allowed, statuses } = await limited();
    t.diagnostic(`200 calls at a limit of ${limit}, over two processes without Redis: ${allowed} allowed`);
    assert.deepEqual([...statuses].sort(), [200, 429]);
    assert.ok(allowed >= limit && allowed <= 2 * limit, `${allowed} allowed`);
    load.enter("Redis back");
    await redis.start();
    await load.responded(responses);
    await until("both servers use Redis", () => areUp("cache"));
    assert.equal(await write(), 401, "the process still has what Redis lost");
    load.enter("Redis frozen");
    redis.pause();
    await load.responded(responses);
    redis.resume();
    load.enter("Redis resumed");
    await load.responded(responses);
    await load.stop();
    for (const line of load.report()) t.diagnostic(line);
    const phases = ["Redis up", "Redis killed", "Redis back", "Redis frozen", "Redis resumed"];
    assert.deepEqual(
      phases.flatMap((phase) => load.wrong(phase, everything)),
      [],
    );
    t.diagnostic(await platform.settled());
  });

  const areUp = async (check: string): Promise<boolean> => {
    const responses = await Promise.all(servers().map(async (url) => (await send(url, "/ready")).text));
    return responses.every((text) => {
      const { checks } = JSON.parse(text) as { checks: Readonly<Record<string, { readonly status: string }>> };
      return checks[check]?.status === "up";
    });
  };

  test("a server, killed: no acknowledged work is lost, and the other server continues it", async (t) => {
    const load = platform.load("both servers", ["query"]);
    await load.responded(responses);
    const [server] = platform.group.servers;
    await server?.kill();
    load.enter("one server");
    await load.responded(responses);
    server?.start();
    await server?.ready();
    load.enter("both servers again");
    await load.responded(responses);
    await load.stop();
    assert.deepEqual(load.wrong("both servers again", { query: [200] }), []);
    t.diagnostic(await platform.settled());
  });

  test("RabbitMQ, killed: the API works, the outbox keeps events and drains when RabbitMQ is up again", async (t) => {
    const load = platform.load("RabbitMQ up", ["public", "cookie", "signed", "query", "command"]);
    await load.responded(responses);
    load.enter("RabbitMQ killed");
    await rabbitmq.kill();
    const before = platform.acknowledged;
    await load.responded(responses);
    await until("ten commands were acknowledged", async () => platform.acknowledged >= before + 10);
    const unpublished = async () => (await services.database.query("select 1 from platform.outbox")).count;
    const held = await unpublished();
    t.diagnostic(`${platform.acknowledged - before} commands acknowledged without RabbitMQ; ${held} events held`);
    assert.ok(held >= 20, `${held} events`);
    for (const url of servers()) assert.equal((await send(url, "/ready")).status, 200, "degraded is ready");
    load.enter("RabbitMQ starts");
    await rabbitmq.start();
    await until("the outbox drains", async () => (await unpublished()) < held);
    load.enter("RabbitMQ back");
    await load.responded(responses);
    await load.stop();
    for (const line of load.report()) t.diagnostic(line);
    const phases = ["RabbitMQ up", "RabbitMQ killed", "RabbitMQ starts", "RabbitMQ back"];
    assert.deepEqual(
      phases.flatMap((phase) => load.wrong(phase, everything)),
      [],
    );
    t.diagnostic(await platform.settled());
  });

  test("OpenFGA, killed: cached permissions apply, other checks return 503, and no unauthorized call is allowed", async (t) => {
    const load = platform.load("OpenFGA up", ["public", "cookie", "signed", "query"]);
    await load.responded(responses);
    const ungranted = await services.accounts.create();
    const cookie = `ory_kratos_session=${await services.accounts.logInForCookie(ungranted)}`;
    const strange = () =>
      Promise.all(
        servers().map((url) => send(url, `/api/apps/${answering}/read`, { headers: { cookie } }).then(({ status }) => status)),
      );
    load.enter("OpenFGA dies");
    await openfga.kill();
    load.enter("OpenFGA killed");
    await load.responded(responses);
    assert.deepEqual(await strange(), [503, 503], "for a caller without a cached permission");
    load.enter("OpenFGA starts");
    await openfga.start();
    await load.recovered("public", "cookie", "signed", "query");
    load.enter("OpenFGA back");
    await load.responded(responses);
    assert.deepEqual(await strange(), [403, 403]);
    await load.stop();
    for (const line of load.report()) t.diagnostic(line);
    const phases = ["OpenFGA up", "OpenFGA dies", "OpenFGA killed", "OpenFGA starts", "OpenFGA back"];
    assert.deepEqual(
      phases.flatMap((phase) => load.wrong(phase, { ...calls, query: [200, 503] })),
      [],
    );
    t.diagnostic(await platform.settled());
  });

  test("Kratos, killed: calls with a session are 503, public and signed ones work", async (t) => {
    const load = platform.load("Kratos up", ["public", "cookie", "signed", "query"]);
    await load.responded(responses);
    load.enter("Kratos dies");
    await kratos.kill();
    load.enter("Kratos killed");
    await load.responded(responses);
    for (const url of servers()) assert.equal((await send(url, "/ready")).status, 200, "degraded is ready");
    load.enter("Kratos starts");
    await kratos.start();
    await load.recovered("public", "cookie", "signed", "query");
    load.enter("Kratos back");
    await load.responded(responses);
    await load.stop();
    for (const line of load.report()) t.diagnostic(line);
    const sessions = (right: readonly number[]) => ({ public: [200], signed: [200], cookie: right, query: right });
    assert.deepEqual(
      [
        ...load.wrong("Kratos up", sessions([200])),
        ...load.wrong("Kratos dies", sessions([200, 503])),
        ...load.wrong("Kratos killed", sessions([503])),
        ...load.wrong("Kratos starts", sessions([200, 503])),
        ...load.wrong("Kratos back", sessions([200])),
      ],
      [],
    );
    t.diagnostic(await platform.settled());
  });
});
