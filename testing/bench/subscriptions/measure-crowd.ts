import { residentKb, type SubscriberCrowd } from "@appserver/testing/kit/production";
import { quantile } from "../bench.ts";
import { cpuSeconds } from "../process-cpu.ts";

export const clients = 5_000;
export const events = 50;
/** The first connections and events compile code and fill caches. */
const [warmUpClients, warmUpEvents] = [1_000, 4] as const;

/** Servers that send the same events to a crowd. */
export interface Sender {
  readonly servers: readonly { readonly pid: number; readonly httpUrl: string }[];
  readonly tokens: readonly string[];
  collectGarbage(): Promise<void>;
  /** Resolves with the milliseconds from the event until the last client has it. */
  send(): Promise<number>;
}

/** What a crowd of clients costs its servers together. */
export interface CrowdCosts {
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Resident memory after all have connected, without garbage. */
  readonly kbEach: number;
  readonly kbEachAfterEvents: number;
  readonly cpuMsPerEvent: number;
  /** Connections that a server closed. */
  readonly lost: number;
}

/** Connects the crowd, sends it events, and disconnects it. */
export async function measureCrowd(crowd: SubscriberCrowd, sender: Sender): Promise<CrowdCosts> {
  const { servers, tokens } = sender;
  const urls = servers.map(({ httpUrl }) => httpUrl);
  const lostBefore = crowd.lost.length;
  const needed = async (): Promise<number> => {
    await sender.collectGarbage();
    return servers.reduce((sum, server) => sum + residentKb(server), 0);
  };
  const cpu = (): number => servers.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
  const send = async (times: number): Promise<readonly number[]> => {
    const delays: number[] = [];
    for (let n = 0; n < times; n++) delays.push(await sender.send());
    return delays;
  };
  await crowd.open(urls, tokens, warmUpClients);
  await send(warmUpEvents);
  await crowd.close();
  const idleKb = await needed();
  await crowd.open(urls, tokens, clients);
  const kbEach = ((await needed()) - idleKb) / clients;
  const cpuBefore = cpu();
  const delays = await send(events);
  const cpuMsPerEvent = ((cpu() - cpuBefore) * 1_000) / events;
  const kbEachAfterEvents = ((await needed()) - idleKb) / clients;
  await crowd.close();
  const lost = crowd.lost.length - lostBefore;
  return { p50Ms: quantile(delays, 0.5), p99Ms: quantile(delays, 0.99), kbEach, kbEachAfterEvents, cpuMsPerEvent, lost };
}
