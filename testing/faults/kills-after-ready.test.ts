import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually, killPostgres, type RunningPlatform, scaled } from "@appserver/testing/kit";
import { appserver, ProductionServer, startProductionServices } from "@appserver/testing/kit/production";
import { startPrivatePostgres } from "../../tools/services/postgres.ts";
import { type AppserverProcess, isReady } from "../kit/appserver-process.ts";
import { createAppserver, removeAppserver } from "./faulty-platform.ts";
import { postmasterPid } from "./platform-records.ts";

const skip = process.platform === "linux" ? false : "needs /proc";
/** Milliseconds from the first 200 of /ready to the kill. */
const lastMs = 2_000;
const kills = scaled(21, 5);
const delays = Array.from({ length: kills }, (_, kill) => Math.round((kill * lastMs) / (kills - 1)));
const backWithinMs = 60_000;
/** How long the process must live on after it is ready again. */
const livesMs = 2_000;
const pollMs = 5;

interface Killed {
  readonly process: AppserverProcess;
  readonly httpUrl: string;
  /** Kills PostgreSQL. Resolves when it runs again, or will by itself. */
  killDatabase(): Promise<void>;
}

/** Starts the platform, kills its database so long after /ready is 200, and checks that the process continues. Returns the time until it is ready again. */
async function killAfterReady({ process: server, httpUrl, killDatabase }: Killed, delayMs: number): Promise<number> {
  server.start();
  const { pid } = server;
  while (!(await isReady(httpUrl))) {
    assert.ok(server.isRunning, `it ended with ${server.exitReason} during its start:\n${server.printed}`);
    await sleep(pollMs);
  }
  const request = await beginRequest(httpUrl);
  await sleep(delayMs);
  const killedAt = performance.now();
  await killDatabase();
  const lives = (): void =>
    assert.ok(server.isRunning, `${delayMs} ms: it ended with ${server.exitReason}:\n${server.printed}`);
  await eventually(
    async () => {
      lives();
      return await isReady(httpUrl);
    },
    (ready) => ready,
    { timeoutMs: backWithinMs, what: "/ready is 200 again" },
  );
  const backMs = Math.round(performance.now() - killedAt);
  assert.match(await request.end(), /^HTTP\/1.1 200 /, "a request in progress is not cut");
  await sleep(livesMs);
  lives();
  assert.equal(server.pid, pid);
  await server.stop();
  return backMs;
}

/** Sends the first half of a request. `end` sends the rest and returns the first line of the response. */
async function beginRequest(httpUrl: string) {
  const { hostname, port } = new URL(httpUrl);
  const socket = connect(Number(port), hostname);
  socket.setEncoding("utf8");
  await once(socket, "connect");
  socket.write("GET /health HTTP/1.1\r\n");
  return {
    end: async (): Promise<string> => {
      socket.write(`Host: ${hostname}:${port}\r\nConnection: close\r\n\r\n`);
      let text = "";
      for await (const chunk of socket) text += chunk;
      return text.split("\r\n")[0] ?? "";
    },
  };
}

async function killAll(killed: Killed, log: (line: string) => void): Promise<void> {
  const back: string[] = [];
  for (const delayMs of delays) back.push(`${delayMs}: ${await killAfterReady(killed, delayMs)}`);
  log(`${kills} of ${kills} kills survived; ms from /ready to the kill, and until it is ready again: ${back.join(", ")}`);
}

suite("PostgreSQL is killed just after /ready of appserver dev", { skip }, () => {
  let platform: RunningPlatform;
  before(async () => {
    platform = await createAppserver({ flags: ["--no-examples"] });
  });
  after(() => removeAppserver(platform));

  test(`${kills} kills within ${lastMs} ms: the process lives and is ready again by itself`, async (t) => {
    const { process: server, httpUrl, dataDir } = platform;
    const killDatabase = async (): Promise<void> => killPostgres(await postmasterPid(dataDir));
    await killAll({ process: server, httpUrl, killDatabase }, (line) => t.diagnostic(line));
  });
});

const folder = await mkdtemp(join(tmpdir(), "appserver-after-ready-"));
const started = await startServers();
const unavailable = "unavailable" in started ? started.unavailable : false;

async function startServers() {
  const postgres = await startPrivatePostgres(folder);
  if ("unavailable" in postgres) return postgres;
  const services = await startProductionServices({ postgres });
  if ("unavailable" in services) await postgres.remove();
  return "unavailable" in services ? services : { postgres, services };
}

describe("PostgreSQL is killed just after /ready of appserver serve", { skip: unavailable }, () => {
  if ("unavailable" in started) return;
  const { postgres, services } = started;
  after(async () => {
    await services.stop();
    await postgres.remove();
    await rm(folder, { recursive: true, force: true });
  });

  test(`${kills} kills within ${lastMs} ms: the process lives and is ready again by itself`, async (t) => {
    const { environment } = services;
    await appserver(["migrate"], environment);
    await appserver(["authz", "bootstrap"], environment);
    const server = await ProductionServer.create(environment);
    const killDatabase = async (): Promise<void> => {
      await postgres.kill();
      await sleep(500);
      await postgres.start();
    };
    await killAll({ process: server, httpUrl: server.httpUrl, killDatabase }, (line) => t.diagnostic(line));
  });
});
