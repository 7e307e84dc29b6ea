import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveApps } from "../served-apps.ts";
import { type Served, startForked } from "./forked.ts";
import { installProxiedApp, type ProxiedApp } from "./proxied-app.ts";

/** The platform with an app, and the app's backend, which the peers forward to as well. */
export interface GatewayHome extends ProxiedApp {
  /** For the logs of gateways. */
  readonly folder: string;
  readonly upstreamPort: number;
  /** The server of the platform. */
  readonly pid: number;
  /** Waits for a process of the bench, which is stopped at the end. */
  started(starting: Promise<Served>): Promise<Served>;
}

/** Runs `work` at home, and stops everything afterwards. */
export async function atHome<T>(work: (home: GatewayHome) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "appserver-bench-"));
  const ends: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
  const started = async (starting: Promise<Served>): Promise<Served> => {
    const served = await starting;
    ends.push(() => served.stop());
    return served;
  };
  try {
    const { port: upstreamPort } = await started(startForked("upstream-process.ts"));
    const apps = await serveApps([], join(folder, "log"));
    ends.push(() => apps.stop());
    const app = await installProxiedApp(apps, upstreamPort);
    return await work({ ...app, folder, upstreamPort, pid: apps.pid, started });
  } finally {
    for (const end of ends.reverse()) await end();
  }
}
