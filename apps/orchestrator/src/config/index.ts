export { orchestrateRefusals } from "../refusals.ts";
export { containerOptions } from "./container-options.ts";
export { orchestrateSchema, orchestrateSections } from "./orchestrate-schema.ts";
export { type OrchestratorConfig, readOrchestrateConfiguration, readOrchestratorConfig } from "./orchestrator-config.ts";
