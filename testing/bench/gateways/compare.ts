import { Pool } from "undici";
import { type BenchOptions, type Figure, type Measurement, quantile } from "../bench.ts";
import { type Served as Batch, closedLoop } from "../closed-loop.ts";
import { pinServing } from "../served-apps.ts";

const requests = 10_000;
const concurrency = 50;

/** A gateway that forwards a request to the backend of all. */
export interface Gateway {
  readonly name: string;
  readonly url: string;
  /** The serving process; its children count too. */
  readonly pid: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The most that the platform may cost, as a multiple of a peer. */
export type Targets = Readonly<Record<string, number>>;

/** Sends the same number of requests through each gateway in every round. The first one is the platform. */
export async function compare(
  gateways: readonly Gateway[],
  targets: Targets,
  { rounds, log, signal }: BenchOptions,
): Promise<Pick<Measurement, "figures">> {
  const [platform, ...peers] = gateways;
  if (!platform) throw new Error("there is nothing to compare");
  const batches = new Map<string, Batch[]>(gateways.map(({ name }) => [name, []]));
  for (const { pid } of gateways) pinServing(pid);
  // The first round warms them up and does not count.
  for (let round = 0; round <= rounds; round += 1)
    for (const gateway of gateways) {
      // Connections do not outlive a batch: gateways close those that are idle.
      const pool = new Pool(new URL(gateway.url).origin, { connections: concurrency });
      const send = sendThrough(pool, gateway);
      const batch = await closedLoop({ pid: gateway.pid, requests, concurrency, signal, send });
      await pool.close();
      log(`round ${round}, ${gateway.name}: ${batch.cpuPerRequestUs.toFixed(0)} µs, ${batch.requestsPerSecond.toFixed(0)}/s`);
      if (round > 0) batches.get(gateway.name)?.push(batch);
    }
  const of = (name: string): readonly Batch[] => batches.get(name) ?? [];
  const ratio = ({ name }: Gateway): Figure => ({
    name: `platform / ${name}`,
    unit: "",
    samples: of(platform.name).map((batch, round) => batch.cpuPerRequestUs / (of(name)[round]?.cpuPerRequestUs ?? Number.NaN)),
    isRatio: true,
    ...(targets[name] === undefined ? {} : { target: { atMost: targets[name] } }),
  });
  return { figures: [...gateways.flatMap((gateway) => figuresOf(gateway.name, of(gateway.name))), ...peers.map(ratio)] };
}

function sendThrough(pool: Pool, { url, headers }: Gateway): () => Promise<void> {
  const path = new URL(url).pathname;
  return async () => {
    const { statusCode, body } = await pool.request({ method: "GET", path, headers: { ...headers } });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${url}: ${statusCode} ${text.slice(0, 300)}`);
  };
}

function figuresOf(name: string, batches: readonly Batch[]): readonly Figure[] {
  return [
    { name: `CPU, ${name}`, unit: "µs", samples: batches.map(({ cpuPerRequestUs }) => cpuPerRequestUs) },
    { name: `requests, ${name}`, unit: "1/s", samples: batches.map(({ requestsPerSecond }) => requestsPerSecond) },
    { name: `p50, ${name}`, unit: "ms", samples: batches.map(({ timesMs }) => quantile(timesMs, 0.5)) },
    { name: `p99, ${name}`, unit: "ms", samples: batches.map(({ timesMs }) => quantile(timesMs, 0.99)) },
  ];
}

export const gatewayNotes = [
  `${requests} requests a round through each gateway, ${concurrency} connections, 300 bytes of JSON. Each gateway runs alone on one core in its turn; requests and backend are on the other.`,
  "CPU is user and system time of the gateway's processes, without the servers that it asks.",
  "floor: node:http and undici's Pool.dispatch, and nothing in between. nginx: version 1.22, one worker, access log in a file.",
  "Rounds are interleaved; the first is not counted.",
] as const;
