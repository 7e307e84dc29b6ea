import { Pool } from "undici";
import type { Bench, BenchOptions, Figure, Measurement } from "../bench.ts";
import { type Served as Batch, closedLoop } from "../closed-loop.ts";
import { withGatewayFixture } from "../gateways/gateway-fixture.ts";
import { largeBytes } from "../gateways/large-body.ts";
import { startNginx } from "../gateways/nginx.ts";
import { peakMb } from "../process-memory.ts";
import { pinServing } from "../served-apps.ts";
import { concurrency, type Direction, directions, type Gateway, requests, type Transfer, transfer } from "./transfer.ts";

const mebibytes = largeBytes / 1_024 / 1_024;
const warmUp = { requests: 5_000, concurrency: 50 } as const;

/** Compares large bodies through the platform with nginx that only forwards. */
export const bench: Bench = {
  name: "proxy-body",
  work: `Bodies of ${mebibytes} MiB up and down over a public route with a limit; ${requests} a round over ${concurrency} connections.`,
  measure,
};

function measure({ rounds, log, signal }: BenchOptions): Promise<Measurement> {
  return withGatewayFixture(async ({ platform, upstreamPort, started }) => {
    const nginx = await started(startNginx({ upstreamPort }));
    const app = await platform();
    const [server] = app.gateway("platform", "/body").servers;
    if (!server) throw new Error("the platform has no server");
    const gateways: readonly Gateway[] = [
      { name: "platform", ...server },
      { name: "nginx", url: `http://127.0.0.1:${nginx.port}/body`, pid: nginx.pid },
    ];
    for (const { pid } of gateways) pinServing(pid);
    await sendSmall(server.url.replace(/\/body$/, "/public"), server.pid, signal);
    const idleMb = await peakMb(server.pid, async () => {});
    const samples = new Map<string, Transfer[]>();
    // The first round warms both up and does not count.
    for (let round = 0; round <= rounds; round += 1)
      for (const direction of directions)
        for (const gateway of gateways) {
          const sample = await transfer(gateway, direction, signal);
          const key = `${direction}, ${gateway.name}`;
          log(`round ${round}, ${key}: ${perSecond(sample).toFixed(0)} MiB/s, ${sample.peakMb.toFixed(0)} MB`);
          if (round > 0) samples.set(key, [...(samples.get(key) ?? []), sample]);
        }
    return { figures: figuresOf((direction, name) => samples.get(`${direction}, ${name}`) ?? [], idleMb), notes };
  });
}

/** The heap of a server that has just started grows with its first requests, whatever their size. */
async function sendSmall(url: string, pid: number, signal: AbortSignal): Promise<void> {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, { connections: warmUp.concurrency });
  const send = async (): Promise<void> => void (await (await pool.request({ method: "GET", path })).body.dump());
  await closedLoop({ ...warmUp, pids: [pid], signal, send });
  await pool.close();
}

function perSecond({ requestsPerSecond }: Batch): number {
  return requestsPerSecond * mebibytes;
}

function figuresOf(of: (direction: Direction, name: string) => readonly Transfer[], idleMb: number): readonly Figure[] {
  const each = (name: string, direction: Direction): readonly Figure[] => [
    {
      name: `${direction}: CPU, ${name}`,
      unit: "µs/MiB",
      samples: of(direction, name).map(({ cpuPerRequestUs }) => cpuPerRequestUs / mebibytes),
    },
    { name: `${direction}: throughput, ${name}`, unit: "MiB/s", samples: of(direction, name).map(perSecond) },
  ];
  const compared = (direction: Direction): readonly Figure[] => {
    const [ours, theirs] = [of(direction, "platform"), of(direction, "nginx")];
    const ratio = (value: (batch: Batch) => number) => ours.map((batch, round) => value(batch) / value(theirs[round] ?? batch));
    const overIdle = ours.map(({ peakMb: peak }) => peak - idleMb);
    return [
      ...each("platform", direction),
      ...each("nginx", direction),
      {
        name: `${direction}: throughput, platform / nginx`,
        unit: "",
        samples: ratio(perSecond),
        target: { atLeast: 0.8 },
        isRatio: true,
      },
      {
        name: `${direction}: CPU, platform / nginx`,
        unit: "",
        samples: ratio((batch) => batch.cpuPerRequestUs),
        isRatio: true,
      },
      { name: `${direction}: memory over idle, platform`, unit: "MB", samples: overIdle, target: { atMost: 50 } },
    ];
  };
  return directions.flatMap(compared);
}

const notes = [
  "Each gateway runs alone on one core in its turn; requests and backend are on the other. CPU is user and system time of the gateway's processes.",
  "nginx 1.22 with one worker: forwards only, bodies without temporary files (`proxy_request_buffering off`, `proxy_max_temp_file_size 0`).",
  `Memory over idle: the highest resident memory during a batch, less that before the first body and after ${warmUp.requests} small requests.`,
  "The platform: limits in its memory, request log to a file. Rounds are interleaved; the first is not counted.",
];
