import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { type Bench, type BenchOptions, type Measurement, quantile } from "../bench.ts";
import { closedLoop, type Served } from "../closed-loop.ts";
import { pinServing, serveApps } from "../served-apps.ts";
import { UnaryCalls } from "../unary-calls.ts";

const requests = 4_000;
const concurrency = 50;
const name = "com.example.asked";

/** Compares GetApp with an echo of the same message by connect-node alone. */
export const bench: Bench = {
  name: "grpc",
  work: `${requests} calls of GetApp a round, ${concurrency} at a time over one connection, of an administrator with a session.`,
  measure,
};

interface Round {
  readonly ours: Served;
  readonly echo: Served;
}

async function measure({ rounds, log, signal }: BenchOptions): Promise<Measurement> {
  const served = await serveApps([name]);
  const echo = fork(join(import.meta.dirname, "echo-process.ts"), { execArgv: ["--disable-warning=ExperimentalWarning"] });
  const headers = { authorization: `Bearer ${served.token}` };
  const connections: UnaryCalls[] = [];
  const open = async (grpcUrl: string): Promise<UnaryCalls> => {
    const calls = await UnaryCalls.open(grpcUrl, headers);
    connections.push(calls);
    return calls;
  };
  const getApp = (calls: UnaryCalls) => calls.call(MarketplaceService.method.getApp, { name });
  try {
    const ours = await open(served.server.grpcUrl);
    echo.send((await getApp(ours)).toString("base64"));
    const [echoUrl] = (await once(echo, "message")) as [string];
    const theirs = await open(echoUrl);
    const echoPid = echo.pid ?? 0;
    pinServing(echoPid);
    const measured: Round[] = [];
    const batch = (pid: number, calls: UnaryCalls) =>
      closedLoop({ pids: [pid], requests, concurrency, signal, send: async () => void (await getApp(calls)) });
    // The first round warms both up and does not count.
    for (let round = 0; round <= rounds; round += 1) {
      const pair = { ours: await batch(served.pid, ours), echo: await batch(echoPid, theirs) };
      log(
        `round ${round}: platform ${pair.ours.cpuPerRequestUs.toFixed(0)} µs, echo ${pair.echo.cpuPerRequestUs.toFixed(0)} µs`,
      );
      if (round > 0) measured.push(pair);
    }
    return { figures: figuresOf(measured), notes };
  } finally {
    for (const calls of connections) calls.close();
    echo.kill();
    await served.stop();
  }
}

function figuresOf(rounds: readonly Round[]): Measurement["figures"] {
  const cpu = (of: keyof Round) => rounds.map((round) => round[of].cpuPerRequestUs);
  const ratios = rounds.map(({ ours, echo }) => ours.cpuPerRequestUs / echo.cpuPerRequestUs);
  const time = (share: number) => rounds.map(({ ours }) => quantile(ours.timesMs, share));
  return [
    { name: "CPU, platform", unit: "µs", samples: cpu("ours") },
    { name: "CPU, echo", unit: "µs", samples: cpu("echo") },
    { name: "platform / echo", unit: "", samples: ratios, target: { atMost: 2 }, isRatio: true },
    { name: "calls of the platform", unit: "1/s", samples: rounds.map(({ ours }) => ours.requestsPerSecond) },
    { name: "calls of the echo", unit: "1/s", samples: rounds.map(({ echo }) => echo.requestsPerSecond) },
    { name: "p50, platform", unit: "ms", samples: time(0.5) },
    { name: "p99, platform", unit: "ms", samples: time(0.99) },
  ];
}

const notes = [
  "Each server runs alone on one core in its turn, the calls come from the other core. CPU is user and system time of the serving process, without PostgreSQL.",
  "The echo: connectNodeAdapter on node:http2, which parses the request and returns the message that the platform returned. It reads nothing and checks no caller.",
  "The platform: identity and permission from its caches, the app, its deployment, storage and history from PostgreSQL, metrics, request log to a pipe.",
  "Rounds are interleaved; the first is not counted.",
];
