import { createAppCatalogue, marketplaceMigrations } from "@appserver/marketplace";
import { type RunningOrchestrator, readOrchestratorConfig, runOrchestrator } from "@appserver/orchestrator";
import { desiredApps } from "./wiring/desired-apps.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * `appserver orchestrate`: the orchestrator on its own, reading what is installed from the platform's database. Rejects
 * with the texts of specification §7.3, and with every configuration value that is wrong.
 */
export function composeOrchestrator(environment: Environment, signal: AbortSignal): Promise<RunningOrchestrator> {
  return runOrchestrator(readOrchestratorConfig(environment), {
    apps: (database) => desiredApps(createAppCatalogue(database)),
    migrations: marketplaceMigrations,
    environment,
    signal,
  });
}
