import { type Dispatcher, Pool } from "undici";
import { type BenchOptions, type Figure, quantile } from "../bench.ts";
import { type Served as Batch, closedLoop } from "../closed-loop.ts";
import { pinServing } from "../served-apps.ts";
import type { Served } from "./forked.ts";

const concurrency = 50;
/** Rounds that do not count: until the engine has compiled what a server of some hours has compiled. */
const warmUps = 3;

/** One kind of requests. */
export interface Batches {
  /** Sent through each gateway in a round. */
  readonly requests: number;
  /** Precedes the names of the figures. */
  readonly prefix: string;
  /** Status of every response. */
  readonly status: number;
}

const defaults: Batches = { requests: 10_000, prefix: "", status: 200 };

export interface GatewayRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** A gateway that forwards requests to the backend of all, or another server. */
export interface Gateway {
  readonly name: string;
  /** Requests go to them in turn. The children of a process count too. */
  readonly servers: readonly { readonly url: string; readonly pid: number }[];
  /** Other processes that it needs for each request. Their CPU counts. */
  readonly helpers?: readonly number[];
  /** Returns the requests of a batch. Default: GET without headers. */
  readonly requests?: (count: number) => readonly GatewayRequest[];
}

/** The most that the first gateway may cost, as a multiple of a peer. */
export type Targets = Readonly<Record<string, number>>;

export interface Comparison {
  readonly figures: readonly Figure[];
  /** The CPU time of a gateway for a request, µs, by the name of the gateway; a sample for each round. */
  readonly cpu: (name: string) => readonly number[];
}

/** Sends the same requests through each gateway in every round. The first gateway is the platform. */
export async function compare(
  gateways: readonly Gateway[],
  targets: Targets,
  { rounds, log, signal }: BenchOptions,
  kind: Batches = defaults,
): Promise<Comparison> {
  const [platform, ...peers] = gateways;
  if (!platform) throw new Error("there is nothing to compare");
  const batches = new Map<string, Batch[]>(gateways.map(({ name }) => [name, []]));
  for (const { servers, helpers = [] } of gateways)
    for (const pid of [...servers.map((one) => one.pid), ...helpers]) pinServing(pid);
  for (let round = 1 - warmUps; round <= rounds; round += 1)
    for (const gateway of gateways) {
      const batch = await sendThrough(gateway, kind, signal);
      log(
        `round ${round}, ${kind.prefix}${gateway.name}: ${batch.cpuPerRequestUs.toFixed(0)} µs, ${batch.requestsPerSecond.toFixed(0)}/s`,
      );
      if (round > 0) batches.get(gateway.name)?.push(batch);
    }
  const of = (name: string): readonly Batch[] => batches.get(name) ?? [];
  const cpu = (name: string): readonly number[] => of(name).map(({ cpuPerRequestUs }) => cpuPerRequestUs);
  const ratio = ({ name }: Gateway): Figure => ({
    name: `${kind.prefix}${platform.name} / ${name}`,
    unit: "",
    samples: cpu(platform.name).map((spent, round) => spent / (cpu(name)[round] ?? Number.NaN)),
    isRatio: true,
    ...(targets[name] === undefined ? {} : { target: { atMost: targets[name] } }),
  });
  return { figures: [...gateways.flatMap(({ name }) => figuresOf(kind.prefix, name, of(name))), ...peers.map(ratio)], cpu };
}

async function sendThrough(
  { servers, helpers = [], requests: make = plainRequests }: Gateway,
  { requests, status }: Batches,
  signal: AbortSignal,
): Promise<Batch> {
  // Connections do not outlive a batch: gateways close those that are idle.
  const open = servers.map(({ url }) => ({
    path: new URL(url).pathname,
    pool: new Pool(new URL(url).origin, { connections: concurrency / servers.length }),
  }));
  const waiting = make(requests).entries();
  const send = async (): Promise<void> => {
    const [index, request] = waiting.next().value ?? [0, undefined];
    const server = open[index % open.length];
    if (!server || !request) throw new Error("a batch has too few requests");
    const { statusCode, body } = await server.pool.request({ path: server.path, ...request });
    const content = Buffer.from(await body.arrayBuffer());
    if (statusCode !== status) throw new Error(`${server.path}: ${statusCode} ${content.subarray(0, 300).toString()}`);
  };
  try {
    return await closedLoop({ pids: [...servers.map(({ pid }) => pid), ...helpers], requests, concurrency, signal, send });
  } finally {
    await Promise.all(open.map(({ pool }) => pool.close()));
  }
}

function plainRequests(count: number): readonly GatewayRequest[] {
  return requestsWith({})(count);
}

/** Returns GET requests with these headers. */
export function requestsWith(headers: Readonly<Record<string, string>>): (count: number) => readonly GatewayRequest[] {
  return (count) => Array.from({ length: count }, () => ({ method: "GET", headers }));
}

/** Returns a gateway that runs on this machine. */
export function localGateway(name: string, { port, pid }: Served, path: string): Gateway {
  return { name, servers: [{ url: `http://127.0.0.1:${port}${path}`, pid }] };
}

function figuresOf(prefix: string, name: string, batches: readonly Batch[]): readonly Figure[] {
  return [
    { name: `${prefix}CPU, ${name}`, unit: "µs", samples: batches.map(({ cpuPerRequestUs }) => cpuPerRequestUs) },
    { name: `${prefix}requests, ${name}`, unit: "1/s", samples: batches.map(({ requestsPerSecond }) => requestsPerSecond) },
    { name: `${prefix}p50, ${name}`, unit: "ms", samples: batches.map(({ timesMs }) => quantile(timesMs, 0.5)) },
    { name: `${prefix}p99, ${name}`, unit: "ms", samples: batches.map(({ timesMs }) => quantile(timesMs, 0.99)) },
  ];
}

export const gatewayNotes = (requests: number = defaults.requests): readonly string[] => [
  `${requests} requests a round through each gateway, ${concurrency} connections, a response of 300 bytes of JSON. Each gateway runs alone on one core in its turn; requests and backend are on the other.`,
  "The other core never sleeps: to wake it would cost a gateway time, the more often the slower it is.",
  "CPU is user and system time of the gateway's processes, without the servers that it asks.",
  "floor: node:http and undici's Pool.dispatch, and nothing in between.",
  `Rounds are interleaved; the first ${warmUps} are not counted.`,
];

/** What the platform does in addition, with all limits in its memory. */
export const platformNotes = [
  "The platform: one server, limits in its memory (`cache.driver: memory`), its request log goes to a file.",
] as const;
