import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { yieldToOthers } from "../process-cpu.ts";
import { pinSending, serveApps } from "../served-apps.ts";
import { type Served, startForked } from "./forked.ts";
import { installProxiedApp, type ProxiedApp } from "./proxied-app.ts";

/** The backend of all gateways, and what the bench has started. */
export interface GatewayFixture {
  /** For the logs of gateways. */
  readonly folder: string;
  readonly upstreamPort: number;
  /**
   * Starts a platform with an app. With several replicas their limits are in Redis, otherwise in the memory of the server. `environment`
   * changes that of the servers.
   */
  platform(replicas?: number, environment?: Readonly<Record<string, string>>): Promise<ProxiedApp>;
  /** Waits for a process of the bench, which is stopped at the end. */
  started(starting: Promise<Served>): Promise<Served>;
}

/** Runs `work` and stops everything afterwards. */
export async function withGatewayFixture<T>(work: (fixture: GatewayFixture) => Promise<T>): Promise<T> {
  await using cleanup = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "appserver-bench-"));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  const started = async (starting: Promise<Served>): Promise<Served> => {
    const served = await starting;
    cleanup.defer(async () => void (await served.stop()));
    return served;
  };
  const { port: upstreamPort, pid: upstream } = await started(startForked("upstream-process.ts"));
  const awake = await started(startForked("awake-process.ts"));
  for (const pid of [upstream, awake.pid]) pinSending(pid);
  yieldToOthers(awake.pid);
  let platforms = 0;
  const platform: GatewayFixture["platform"] = async (replicas = 1, changed = {}) => {
    const environment = {
      APPSERVER_CACHE_DRIVER: replicas > 1 ? "redis" : "memory",
      APPSERVER_SESSION_CACHE_TTL: "1s",
      ...changed,
    };
    platforms += 1;
    const apps = await serveApps([], { logFile: join(folder, `log-${platforms}`), replicas, environment });
    cleanup.defer(async () => void (await apps.stop()));
    return await installProxiedApp(apps, upstreamPort);
  };
  return await work({ folder, upstreamPort, started, platform });
}
