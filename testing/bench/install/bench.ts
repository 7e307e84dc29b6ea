import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { EngineClient } from "@appserver/containers-docker";
import { makeAppImage, pushImage } from "@appserver/containers-docker/images";
import { containerApi, testApp, writeAppFolder } from "@appserver/testing/kit";
import pg from "pg";
import type { Bench, BenchOptions, Figure, Measurement } from "../bench.ts";
import { type OrchestratedPlatform, startOrchestratedPlatform } from "../orchestrated-platform.ts";

const name = "test.installed";
const pollMs = 20;
const deadlineMs = 60_000;
const source = `
import { createServer } from "node:http";
createServer((request, response) => response.end("ok")).listen(3000);
process.on("SIGTERM", () => process.exit(0));
`;

/** Compares an installation with what the container engine and PostgreSQL need for the same app. */
export const bench: Bench = {
  name: "install",
  work: "An app with a container, a network and a database is installed; its image is on the machine, its health path responds at once.",
  measure,
};

async function measure({ rounds, log, signal }: BenchOptions): Promise<Measurement> {
  await using platform = await startOrchestratedPlatform();
  const { group, server, engine, registry } = platform;
  const image = `${registry}/${name}:latest`;
  await publish(engine, image);
  await group.register(server, await testApp({ name, web_app: { api: containerApi(name) } }));
  const [ours, alone]: [number[], number[]] = [[], []];
  // The first round pulls the image, warms both up and does not count.
  for (let round = 0; round <= rounds; round += 1) {
    signal.throwIfAborted();
    const installed = await install(platform);
    const byHand = await runByHand(platform, image);
    log(`round ${round}: platform ${installed.toFixed(0)} ms, by hand ${byHand.toFixed(0)} ms`);
    if (round === 0) continue;
    ours.push(installed);
    alone.push(byHand);
  }
  return { figures: figuresOf(ours, alone), notes };
}

async function publish(engine: EngineClient, image: string): Promise<void> {
  const folder = await writeAppFolder(source);
  try {
    await makeAppImage({ socketPath: engine.socketPath, appFolder: folder, entry: "src/server.ts", image });
    await pushImage(engine, image);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns the milliseconds from the command until the app is RUNNING. Uninstalls it afterwards with its data. */
async function install({ group, server }: OrchestratedPlatform): Promise<number> {
  const { marketplace } = group.client(server);
  const startedAt = performance.now();
  await marketplace.installApp({ name });
  await untilTrue("the app is RUNNING", async () => (await group.stateOf(server, name)) === "RUNNING");
  const elapsed = performance.now() - startedAt;
  await marketplace.uninstallApp({ name, purgeData: true });
  await group.untilState(server, name, "UNINSTALLED");
  return elapsed;
}

/** Returns the milliseconds until the first response of a container that was created over the API of the engine. */
async function runByHand({ engine, databaseUrl }: OrchestratedPlatform, image: string): Promise<number> {
  const own = "appserver-bench-install";
  await using ends = new AsyncDisposableStack();
  const startedAt = performance.now();
  await engine.request("POST", "/networks/create", { body: { Name: own } });
  ends.defer(async () => void (await engine.request("DELETE", `/networks/${own}`)));
  await queries(databaseUrl, [`create role "${own}" login password 'bench'`, `create database "${own}" owner "${own}"`]);
  ends.defer(() => queries(databaseUrl, [`drop database "${own}"`, `drop role "${own}"`]));
  const port = "3000/tcp";
  const body = {
    Image: image,
    ExposedPorts: { [port]: {} },
    HostConfig: { NetworkMode: own, PortBindings: { [port]: [{ HostIp: "127.0.0.1" }] } },
  };
  await engine.request("POST", "/containers/create", { query: { name: own }, body });
  ends.defer(async () => void (await engine.request("DELETE", `/containers/${own}`, { query: { force: "true", v: "true" } })));
  await engine.request("POST", `/containers/${own}/start`);
  const { body: details } = await engine.request("GET", `/containers/${own}/json`);
  const { Ports } = (details as { NetworkSettings: { Ports: Record<string, [{ HostPort: string }]> } }).NetworkSettings;
  const url = `http://127.0.0.1:${Ports[port]?.[0].HostPort}/health`;
  await untilTrue("the container responds", () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return performance.now() - startedAt;
}

async function queries(connectionString: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: `${connectionString}/postgres` });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

async function untilTrue(what: string, look: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!(await look())) {
    if (performance.now() > deadline) throw new Error(`timed out before ${what}`);
    await sleep(pollMs);
  }
}

function figuresOf(ours: readonly number[], alone: readonly number[]): readonly Figure[] {
  const more = ours.map((installed, round) => installed - (alone[round] ?? Number.NaN));
  return [
    { name: "installApp until RUNNING", unit: "ms", samples: ours },
    { name: "by hand", unit: "ms", samples: alone },
    { name: "installApp - by hand", unit: "ms", samples: more, target: { atMost: 300 } },
  ];
}

const notes = [
  `installApp until RUNNING: from the call until another call sees the state, which is asked for every ${pollMs} ms.`,
  "by hand: network, role, database, container and its start over the API of Docker, until the first response of the health path.",
  "The backend is a server of Node that starts in both. Rounds are interleaved; the first is not counted.",
];
