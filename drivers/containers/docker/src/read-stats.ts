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

/** Returns undefined if the container does not run or does not exist. Rejects with the engine's error. */
export async function readStats(engine: EngineClient, name: string, signal?: AbortSignal): Promise<ContainerStats | undefined> {
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
