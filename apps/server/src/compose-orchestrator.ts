import { createLiveApps, marketplaceMigrations } from "@appserver/marketplace";
import { type OrchestratorConfig, type RunningOrchestrator, runOrchestrator } from "@appserver/orchestrator";
import { createImageStages, settingsMigrations } from "@appserver/settings";
import { platformVersion } from "./version.ts";
import { desiredApps } from "./wiring/desired-apps.ts";

/**
 * Runs `appserver orchestrate`: the orchestrator in its own process. It reads the installed apps from the platform's database.
 * Rejects with the texts of docs/interface/errors.md#orchestrator-errors.
 */
export function composeOrchestrator(config: OrchestratorConfig, signal: AbortSignal): Promise<RunningOrchestrator> {
  return runOrchestrator(config, {
    apps: (deps) => desiredApps(createLiveApps(deps), createImageStages(deps.database)),
    migrations: [...marketplaceMigrations, ...settingsMigrations],
    environment: config.environment,
    version: platformVersion,
    signal,
  });
}
