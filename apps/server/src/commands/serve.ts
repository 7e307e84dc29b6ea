import cluster from "node:cluster";
import { availableParallelism } from "node:os";
import { loadServeConfig } from "../config/load-config.ts";
import type { ServeConfig } from "../config/serve-config.ts";
import { openLog } from "../log/open-log.ts";
import { untilStopped } from "../until-stopped.ts";
import { relayWorkerMetrics } from "../worker-metrics.ts";
import { startWorkers } from "../workers.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Runs `appserver serve`: one process, or several processes that share the ports (APPSERVER_WORKERS). */
export async function serve(flags: Readonly<Record<string, unknown>>, environment: Environment): Promise<void> {
  const config = await withCertificates(await loadServeConfig(flags, environment), flags, environment);
  const count = workerCount(config);
  if (count > 1 && cluster.isPrimary) {
    const logger = openLog({ service: "appserver", level: config.telemetry.logLevel });
    relayWorkerMetrics();
    const workers = startWorkers(count, logger);
    await untilStopped(async () => ({ stop: () => workers.stop() }));
    process.exitCode = (await workers.ended).exitCode;
    return;
  }
  const { composeServe } = await import("../compose/production.ts");
  await untilStopped((signal) => composeServe(config, signal));
}

/** Returns 1 if processes share nothing: each process would count limits and used signatures by itself. */
function workerCount({ server, drivers }: ServeConfig): number {
  if (server.workers !== "auto") return server.workers;
  return drivers.cache.driver.isShared ? availableParallelism() : 1;
}

/**
 * Returns the configuration with the files of certificates by ACME, if that is enabled. What gets them runs in the primary process until
 * that ends. Workers inherit the files in their environment.
 */
async function withCertificates(
  config: ServeConfig,
  flags: Readonly<Record<string, unknown>>,
  environment: Environment,
): Promise<ServeConfig> {
  if (!config.acme.enabled) return config;
  const { certificateAgent } = await import("../compose/certificates.ts");
  const agent = certificateAgent(config, openLog({ service: "appserver", level: config.telemetry.logLevel }));
  await agent.start();
  const changed = {
    APPSERVER_ACME_ENABLED: "false",
    APPSERVER_TLS_ENABLED: "true",
    APPSERVER_TLS_CERT_FILE: agent.files.certificateFile,
    APPSERVER_TLS_KEY_FILE: agent.files.keyFile,
  };
  Object.assign(process.env, changed);
  return await loadServeConfig(flags, { ...environment, ...changed });
}
