import { readFileSync } from "node:fs";
import { type DevConfig, readDevConfig } from "./dev-config.ts";
import { devSchema } from "./dev-schema.ts";
import { loadDrivers } from "./drivers/load-drivers.ts";
import { orchestrateSchema } from "./orchestrate-schema.ts";
import { type OrchestratorConfig, readOrchestratorConfig } from "./orchestrator-config.ts";
import { readServeConfig, type ServeConfig } from "./serve-config.ts";
import { serveSchema } from "./serve-schema.ts";
import { readUpConfig, type UpConfig } from "./up-config.ts";
import { upSchema } from "./up-schema.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Flags = Readonly<Record<string, unknown>>;

/** Reads the configuration of `appserver serve`, after the drivers outside of the platform that it chooses are loaded. */
export async function loadServeConfig(flags: Flags, environment: Environment): Promise<ServeConfig> {
  const catalogue = await loadDrivers(serveSchema, { flags, environment, readFile: readFileSync });
  return readServeConfig(flags, environment, readFileSync, catalogue);
}

/** Like {@link loadServeConfig}, for `appserver orchestrate`. */
export async function loadOrchestratorConfig(flags: Flags, environment: Environment): Promise<OrchestratorConfig> {
  const catalogue = await loadDrivers(orchestrateSchema, { flags, environment, readFile: readFileSync });
  return readOrchestratorConfig(environment, flags, readFileSync, catalogue);
}

/** Like {@link loadServeConfig}, for `appserver dev`. */
export async function loadDevConfig(flags: Flags, environment: Environment): Promise<DevConfig> {
  const catalogue = await loadDrivers(devSchema, { flags, environment, readFile: readFileSync });
  return readDevConfig(flags, environment, readFileSync, catalogue);
}

/** Like {@link loadServeConfig}, for `appserver up`. */
export async function loadUpConfig(flags: Flags, environment: Environment): Promise<UpConfig> {
  const catalogue = await loadDrivers(upSchema, { flags, environment, readFile: readFileSync });
  return readUpConfig(flags, environment, readFileSync, catalogue);
}
