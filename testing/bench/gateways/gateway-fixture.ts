import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveApps } from "../served-apps.ts";
import { type Served, startForked } from "./forked.ts";
import { installProxiedApp, type ProxiedApp } from "./proxied-app.ts";

/** The platform with an app, and the app's backend, which the peers forward to as well. */
export interface GatewayFixture extends ProxiedApp {
  /** For the logs of gateways. */
  readonly folder: string;
  readonly upstreamPort: number;
  /** The server of the platform. */
  readonly pid: number;
  /** Waits for a process of the bench, which is stopped at the end. */
  started(starting: Promise<Served>): Promise<Served>;
}

/** Runs `work` with the platform and the app, and stops everything afterwards. */
export async function withGatewayFixture<T>(work: (fixture: GatewayFixture) => Promise<T>): Promise<T> {
  await using cleanup = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "appserver-bench-"));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  const started = async (starting: Promise<Served>): Promise<Served> => {
    const served = await starting;
    cleanup.defer(async () => void (await served.stop()));
    return served;
  };
  const { port: upstreamPort } = await started(startForked("upstream-process.ts"));
  const apps = await serveApps([], join(folder, "log"));
  cleanup.defer(async () => void (await apps.stop()));
  const app = await installProxiedApp(apps, upstreamPort);
  return await work({ ...app, folder, upstreamPort, pid: apps.pid, started });
}
