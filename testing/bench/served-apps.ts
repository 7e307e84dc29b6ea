import { createPlatformClient, registerApp } from "@appserver/sdk";
import { testApp } from "@appserver/testing/kit";
import {
  type ProductionServer,
  type ProductionServices,
  ReplicaGroup,
  startProductionServices,
} from "@appserver/testing/kit/production";
import { pin, processTree } from "./process-cpu.ts";

/** Cores of the serving process and of the process that sends requests. */
const [servingCore, sendingCore] = ["0", "1"] as const;

/** Where the backends of the registered apps would be. */
export const upstreamUrl = "http://127.0.0.1:9";

export interface ServedAppsOptions {
  /** Where the log of the servers goes. */
  readonly logFile?: string;
  /** Number of servers. */
  readonly replicas?: number;
  /** Added to the environment of the servers. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Servers in production form, pinned to a core, with registered apps. */
export interface ServedApps {
  readonly group: ReplicaGroup;
  readonly services: ProductionServices;
  /** The first server. */
  readonly server: ProductionServer;
  /** Of the first server. */
  readonly pid: number;
  /** Session token of an administrator. */
  readonly token: string;
  stop(): Promise<void>;
}

/** Starts them, and pins this process to another core. Rejects if a server that they need is unavailable. */
export async function serveApps(names: readonly string[], options: ServedAppsOptions = {}): Promise<ServedApps> {
  const started = await startProductionServices();
  if ("unavailable" in started) throw new Error(started.unavailable);
  const services = { ...started, environment: { ...started.environment, ...options.environment } };
  let group: ReplicaGroup | undefined;
  const stop = async (): Promise<void> => {
    await group?.stop();
    await services.stop();
  };
  try {
    group = await ReplicaGroup.start(services, options.replicas ?? 1, { outputFile: options.logFile });
    const server = group.server(0);
    const client = createPlatformClient({ grpcUrl: server.grpcUrl });
    for (const name of names) {
      const api = { base_path: "/", upstream_base_url: upstreamUrl };
      await registerApp(client, await testApp({ name, web_app: { api } }), services.registrationToken);
    }
    const pid = server.pid;
    for (const each of group.servers) pinServing(each.pid);
    pinSending(process.pid);
    return { group, services, server, pid, token: group.adminToken, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Pins a serving process and its children to the core that all servers of a bench share, one at a time. */
export function pinServing(root: number): void {
  for (const pid of processTree(root)) pin(pid, servingCore);
}

/** Pins a process that sends requests to the core that no serving process uses. */
export function pinSending(pid: number): void {
  pin(pid, sendingCore);
}
