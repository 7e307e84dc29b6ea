import { setTimeout as sleep } from "node:timers/promises";
import { createPlatformClient, registerApp } from "@appserver/sdk";
import { testApp, until } from "@appserver/testing/kit";
import {
  openContainerNetwork,
  ProductionOrchestrator,
  type ProductionServices,
  ReplicaGroup,
  startProductionServices,
} from "@appserver/testing/kit/production";
import { ensureDockerEngine } from "../../../tools/services/docker-engine.ts";
import type { Bench, BenchOptions, Figure, Measurement } from "../bench.ts";
import { cpuSeconds, processTree } from "../process-cpu.ts";
import { StatementCounter } from "./statement-counter.ts";

const [few, many] = [10, 1_000] as const;
const roundSeconds = 60;
const shownStatements = 12;
/** % of a core. */
const cpuTargets = { serve: 0.3, orchestrate: 0.5 } as const;
/** Background work that follows the installations ends within this time. */
const settleSeconds = 90;

/** Counts what a platform without requests does, with few and with many installed apps. */
export const bench: Bench = {
  name: "idle",
  work: `One serve and one orchestrate on production drivers without requests, with ${few} and with ${many} installed apps that have pages only; ${roundSeconds} s a round.`,
  measure,
};

/** A process of the platform with its own way to the database. */
interface Watched {
  readonly name: keyof typeof cpuTargets;
  readonly counter: StatementCounter;
  readonly pid: () => number;
}

async function measure(options: BenchOptions): Promise<Measurement> {
  const ends: (() => Promise<unknown>)[] = [];
  try {
    const engine = await ensureDockerEngine();
    if ("unavailable" in engine) throw new Error(engine.unavailable);
    ends.push(engine.stop);
    const services = await startProductionServices();
    if ("unavailable" in services) throw new Error(services.unavailable);
    ends.push(services.stop);
    const network = await openContainerNetwork(engine.socketPath, services);
    ends.push(network.remove);
    const [serveCounter, orchestrateCounter] = [await countedServices(services), await countedServices(services)];
    ends.push(
      serveCounter.counter.stop.bind(serveCounter.counter),
      orchestrateCounter.counter.stop.bind(orchestrateCounter.counter),
    );
    const group = await ReplicaGroup.start(serveCounter.services, 1);
    ends.push(() => group.stop());
    const server = group.server(0);
    const orchestrator = new ProductionOrchestrator(orchestrateCounter.services.environment, {
      socketPath: engine.socketPath,
      network: network.name,
      registry: "127.0.0.1:9",
      httpUrl: server.httpUrl,
      grpcUrl: server.grpcUrl,
      environment: { APPSERVER_CONTAINERS_DATABASE_ADMIN_URL: network.databaseUrl },
    });
    ends.push(() => orchestrator.stop());
    orchestrator.start();
    await orchestrator.ready();
    const watched: Watched[] = [
      { name: "serve", counter: serveCounter.counter, pid: () => server.pid },
      { name: "orchestrate", counter: orchestrateCounter.counter, pid: () => orchestrator.pid },
    ];
    const figures: Figure[] = [];
    await install(group, 0, few, options);
    figures.push(...(await watch(watched, few, options)));
    await install(group, few, many, options);
    figures.push(...(await watch(watched, many, options)));
    return { figures, notes };
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function countedServices(services: ProductionServices) {
  const { host, port } = services.connection;
  const counter = await StatementCounter.start({ host, port });
  const address = { APPSERVER_DB_HOST: "127.0.0.1", APPSERVER_DB_PORT: String(counter.port) };
  return { counter, services: { ...services, environment: { ...services.environment, ...address } } };
}

async function install(group: ReplicaGroup, from: number, to: number, { log, signal }: BenchOptions): Promise<void> {
  const server = group.server(0);
  const developer = createPlatformClient({ grpcUrl: server.grpcUrl });
  const administrator = group.client(server);
  for (let index = from; index < to; index += 1) {
    signal.throwIfAborted();
    const name = `com.example.idle${index}`;
    const ui = { mode: "ESM_COMPONENT", entry_asset_name: "main.js", route_base: `/idle${index}` };
    const app = await testApp({ name, web_app: { assets: ["main.js"], ui } }, { "main.js": "export const mount = () => {};" });
    await registerApp(developer, app, group.services.registrationToken);
    await administrator.marketplace.installApp({ name });
    if (index % 100 === 99) log(`${index + 1} apps installed`);
  }
  await until("the last app runs", async () => (await group.stateOf(server, `com.example.idle${to - 1}`)) === "RUNNING");
}

async function watch(
  watched: readonly Watched[],
  apps: number,
  { rounds, log, signal }: BenchOptions,
): Promise<readonly Figure[]> {
  await sleep(settleSeconds * 1_000, undefined, { signal });
  const first = watched.map(({ counter }) => new Map(counter.counts));
  const samples = watched.map(() => ({ statements: [] as number[], cpu: [] as number[] }));
  for (let round = 1; round <= rounds; round += 1) {
    const before = watched.map(spent);
    await sleep(roundSeconds * 1_000, undefined, { signal });
    for (const [index, each] of watched.entries()) {
      const now = spent(each);
      const { statements = 0, cpu = 0 } = before[index] ?? {};
      samples[index]?.statements.push((now.statements - statements) / roundSeconds);
      samples[index]?.cpu.push((100 * (now.cpu - cpu)) / roundSeconds);
    }
    log(
      `${apps} apps, round ${round}: ${samples.map(({ statements, cpu }) => `${statements.at(-1)}/s ${cpu.at(-1)} %`).join(", ")}`,
    );
  }
  for (const [index, { name, counter }] of watched.entries()) log(frequent(name, first[index] ?? new Map(), counter.counts));
  return watched.flatMap(({ name }, index) => [
    {
      name: `${name}, ${apps} apps: statements`,
      unit: "1/s",
      samples: samples[index]?.statements ?? [],
      ...(name === "serve" ? { target: { atMost: 4 } } : {}),
    },
    {
      name: `${name}, ${apps} apps: CPU`,
      unit: "% of a core",
      samples: samples[index]?.cpu ?? [],
      target: { atMost: cpuTargets[name] },
    },
  ]);
}

/** Lists the statements that were run most often, with their number. */
function frequent(name: string, before: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>): string {
  const counts = [...now].map(([text, count]) => [count - (before.get(text) ?? 0), text.replaceAll(/\s+/g, " ")] as const);
  const top = counts.sort(([a], [b]) => b - a).slice(0, shownStatements);
  return [`${name}:`, ...top.map(([count, text]) => `${String(count).padStart(6)}  ${text.slice(0, 120)}`)].join("\n");
}

function spent({ counter, pid }: Watched): { readonly statements: number; readonly cpu: number } {
  const cpu = processTree(pid()).reduce((seconds, each) => seconds + cpuSeconds(each), 0);
  return { statements: counter.statements, cpu };
}

const notes = [
  "Statements are counted by a relay between each process and PostgreSQL; BEGIN and COMMIT are statements, too.",
  "CPU is that of the process, whatever else the machine does.",
];
