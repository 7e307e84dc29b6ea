import type { ContainerStats } from "@appserver/kernel/ports";
import type { EngineClient } from "./engine-client.ts";

/** The used fields of `GET /containers/{id}/stats`. */
export interface EngineStats {
  readonly cpu_stats?: { readonly cpu_usage?: { readonly total_usage?: number } };
  /** Empty if the container does not run. */
  readonly memory_stats?: {
    readonly usage?: number;
    readonly limit?: number;
    readonly stats?: Readonly<Record<string, number>>;
  };
}

/** Returns what the instances of a container use together. One after the other: the engine has other work. */
export async function readAllStats(
  engine: EngineClient,
  instances: readonly string[],
  signal?: AbortSignal,
): Promise<ContainerStats | undefined> {
  const read: (readonly [string, ContainerStats])[] = [];
  for (const id of instances) {
    const stats = await readStats(engine, id, signal);
    if (stats) read.push([id, stats]);
  }
  return read.length === 0 ? undefined : sumOf(read);
}

function sumOf(read: readonly (readonly [id: string, stats: ContainerStats])[]): ContainerStats {
  const sum = (of: (stats: ContainerStats) => number): number => read.reduce((total, [, stats]) => total + of(stats), 0);
  const isLimited = read.every(([, { memoryLimitBytes }]) => memoryLimitBytes !== undefined);
  return {
    memoryBytes: sum(({ memoryBytes }) => memoryBytes),
    memoryLimitBytes: isLimited ? sum(({ memoryLimitBytes = 0 }) => memoryLimitBytes) : undefined,
    cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
    cpuSecondsOf: Object.fromEntries(read.map(([id, { cpuSeconds }]) => [id, cpuSeconds])),
  };
}

/** Returns undefined if the container does not run or does not exist. Rejects with the engine's error. */
async function readStats(engine: EngineClient, name: string, signal?: AbortSignal): Promise<ContainerStats | undefined> {
  const path = `/containers/${encodeURIComponent(name)}/stats`;
  // `one-shot`: otherwise the engine measures twice, a second apart.
  const query = { stream: "false", "one-shot": "true" };
  const { status, body } = await engine.request("GET", path, { query, accept: [404, 409], ...(signal ? { signal } : {}) });
  return status >= 400 ? undefined : statsIn(body as EngineStats);
}

/** Returns undefined for the statistics of a container that does not run. */
export function statsIn({ cpu_stats, memory_stats }: EngineStats): ContainerStats | undefined {
  const { usage, limit, stats = {} } = memory_stats ?? {};
  if (usage === undefined) return undefined;
  // As `docker stats` does: with cgroup v1 the field of the hierarchy, with v2 its successor.
  const cache = stats["total_inactive_file"] ?? stats["inactive_file"] ?? 0;
  return {
    memoryBytes: cache < usage ? usage - cache : usage,
    memoryLimitBytes: limit,
    cpuSeconds: (cpu_stats?.cpu_usage?.total_usage ?? 0) / 1e9,
  };
}
