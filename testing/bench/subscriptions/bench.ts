import { setTimeout as sleep } from "node:timers/promises";
import {
  backendCosts,
  collectGarbage,
  inspected,
  type MeasuredCosts,
  measureCosts,
  type ProductionServices,
  ReplicaGroup,
  SubscriberCrowd,
  startProductionServices,
  WatchedApp,
} from "@appserver/testing/kit/production";
import type { Bench, BenchOptions, Figure, Measurement } from "../bench.ts";
import { pinSending, pinServing } from "../served-apps.ts";
import { BareSockets } from "./bare-sockets.ts";
import { type CrowdCosts, clients, events, measureCrowd } from "./measure-crowd.ts";

const replicas = 2;
const [clientsOfSubjects, subjects, commands] = [2_000, 10, 4] as const;
/** After a change of permissions every connection has been checked again within this time. */
const recheckedMs = 5_000;

/** Compares subscribers on two servers with the clients of a bare `ws` server. */
export const bench: Bench = {
  name: "subscriptions",
  work: `${clients} WebSocket subscribers of appStateChanged on ${replicas} servers in production form, ${events} events a round: an app is disabled and enabled.`,
  measure,
};

interface Round {
  readonly ours: CrowdCosts;
  readonly peer: CrowdCosts;
  readonly ofCommands: MeasuredCosts;
  readonly checksOfChange: number;
}

/** The platform, its app and those that watch it. */
interface Watched {
  readonly group: ReplicaGroup;
  readonly app: WatchedApp;
  readonly crowd: SubscriberCrowd;
  /** Session tokens of the subjects. */
  readonly tokens: readonly string[];
}

async function measure({ rounds, log, signal }: BenchOptions): Promise<Measurement> {
  await using cleanup = new AsyncDisposableStack();
  const services = await startProductionServices();
  if ("unavailable" in services) throw new Error(services.unavailable);
  cleanup.defer(services.stop);
  const environment = { ...services.environment, ...inspected };
  const group = await ReplicaGroup.start({ ...services, environment } satisfies ProductionServices, replicas);
  cleanup.defer(() => group.stop());
  const crowd = new SubscriberCrowd();
  cleanup.defer(() => crowd.stop());
  const app = await WatchedApp.install(group, crowd);
  cleanup.defer(() => app.stop());
  const watched: Watched = { group, app, crowd, tokens: await group.watchers(subjects) };
  for (const pid of [process.pid, crowd.pid]) pinSending(pid);
  const measured: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    signal.throwIfAborted();
    // Memory that an earlier round has left would hide what a new one needs.
    await group.restart();
    for (const { pid } of group.servers) pinServing(pid);
    const ours = await measurePlatform(watched);
    log(`round ${round}, platform: ${summary(ours)}`);
    signal.throwIfAborted();
    const peer = await measurePeer(crowd);
    log(`round ${round}, ws: ${summary(peer)}`);
    signal.throwIfAborted();
    const backends = await measureBackends(watched);
    log(`round ${round}: ${JSON.stringify(backends)}`);
    measured.push({ ours, peer, ...backends });
  }
  return { figures: figuresOf(measured), notes };
}

function measurePlatform({ group, app, crowd }: Watched): Promise<CrowdCosts> {
  return measureCrowd(crowd, {
    servers: group.servers,
    tokens: [group.adminToken],
    collectGarbage: async () => void (await Promise.all(group.servers.map(collectGarbage))),
    send: async () => (await app.change()).fromCommitMs,
  });
}

/** Sends the text of the platform's last event. */
async function measurePeer(crowd: SubscriberCrowd): Promise<CrowdCosts> {
  const text = crowd.lastText;
  const peer = await BareSockets.start();
  try {
    pinServing(peer.pid);
    return await measureCrowd(crowd, {
      servers: [peer],
      tokens: [""],
      collectGarbage: () => peer.collectGarbage(),
      send: async () => {
        const event = crowd.events;
        const at = await peer.broadcast(text);
        return (await crowd.lastReceived(event)) - at;
      },
    });
  } finally {
    await peer.stop();
  }
}

/** Measures what commands, and a change of permissions, cost PostgreSQL and OpenFGA with subscribers of several subjects. */
async function measureBackends(watched: Watched): Promise<Pick<Round, "ofCommands" | "checksOfChange">> {
  const { group, app, crowd, tokens } = watched;
  const urls = group.servers.map(({ httpUrl }) => httpUrl);
  await crowd.open(urls, tokens, clientsOfSubjects);
  const ofCommands = await measureCosts(group.services, group.servers, async () => {
    for (let n = 0; n < commands; n++) await app.change();
  });
  const { checks } = await backendCosts(group.services, group.servers);
  await group.changeEveryPermission();
  await sleep(recheckedMs);
  const after = await backendCosts(group.services, group.servers);
  await crowd.close();
  return { ofCommands, checksOfChange: after.checks - checks };
}

function summary({ p50Ms, p99Ms, kbEach, kbEachAfterEvents, cpuMsPerEvent, lost }: CrowdCosts): string {
  const memory = `${kbEach.toFixed(1)} and ${kbEachAfterEvents.toFixed(1)} kB each`;
  return `p50 ${p50Ms} ms, p99 ${p99Ms} ms, ${memory}, ${cpuMsPerEvent.toFixed(0)} ms of CPU per event, ${lost} lost`;
}

function figuresOf(rounds: readonly Round[]): readonly Figure[] {
  const of = (side: "ours" | "peer", what: keyof CrowdCosts) => rounds.map((round) => round[side][what]);
  const ratio = (what: keyof CrowdCosts) => rounds.map(({ ours, peer }) => ours[what] / peer[what]);
  const crowdOf = (names: string) => `${commands} commands, ${clientsOfSubjects} subscribers of ${subjects} subjects: ${names}`;
  const commandsOf = (what: keyof MeasuredCosts) => rounds.map(({ ofCommands }) => ofCommands[what]);
  return [
    { name: "commit to last client: p50, platform", unit: "ms", samples: of("ours", "p50Ms") },
    { name: "commit to last client: p99, platform", unit: "ms", samples: of("ours", "p99Ms"), target: { atMost: 1_000 } },
    { name: "send to last client: p50, ws", unit: "ms", samples: of("peer", "p50Ms") },
    { name: "send to last client: p99, ws", unit: "ms", samples: of("peer", "p99Ms") },
    { name: "memory per client, platform", unit: "kB", samples: of("ours", "kbEach"), target: { atMost: 30 } },
    {
      name: "memory per client after the events, platform",
      unit: "kB",
      samples: of("ours", "kbEachAfterEvents"),
      target: { atMost: 30 },
    },
    { name: "memory per client, ws", unit: "kB", samples: of("peer", "kbEach") },
    { name: "memory per client after the events, ws", unit: "kB", samples: of("peer", "kbEachAfterEvents") },
    { name: "memory: platform / ws", unit: "", samples: ratio("kbEachAfterEvents"), isRatio: true },
    { name: "CPU per event, platform", unit: "ms", samples: of("ours", "cpuMsPerEvent") },
    { name: "CPU per event, ws", unit: "ms", samples: of("peer", "cpuMsPerEvent") },
    { name: "CPU: platform / ws", unit: "", samples: ratio("cpuMsPerEvent"), isRatio: true },
    { name: "sockets lost by the platform", unit: "", samples: of("ours", "lost"), target: { atMost: 0 } },
    { name: crowdOf("transactions"), unit: "", samples: commandsOf("transactionsAboveIdle"), target: { atMost: 300 } },
    { name: crowdOf("transactions with those of idle servers"), unit: "", samples: commandsOf("transactions") },
    { name: crowdOf("checks by OpenFGA"), unit: "", samples: commandsOf("checks"), target: { atMost: commands * subjects } },
    {
      name: `a change of all permissions, ${clientsOfSubjects} subscribers of ${subjects} subjects: checks by OpenFGA`,
      unit: "",
      samples: rounds.map(({ checksOfChange }) => checksOfChange),
    },
  ];
}

const notes = [
  "Both servers of the platform share one core, the peer has the same core in its turn; clients and commands are on the other. PostgreSQL, RabbitMQ, Redis, OpenFGA and Kratos run on both.",
  "From the commit: from PostgreSQL's notification of the transaction with the event, through the outbox and RabbitMQ, until the last of all clients has it. CPU is user and system time of the servers.",
  "The bare server: `ws` without compression, which sends the same text to every client from one process. It reads nothing, checks no caller and knows no subscription.",
  "Memory: resident memory of the processes after a garbage collection, above that after a first crowd has left.",
  "Transactions: those that PostgreSQL counted until every connection had published its counts, and those above what idle servers had in the same time before.",
  "In every round the servers' processes are new, and a crowd of 1,000 with four events comes before the measured one.",
];
