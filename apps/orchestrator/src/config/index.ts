export { orchestrateSchema } from "./orchestrate-schema.ts";
export { type OrchestratorConfig, readOrchestrateConfiguration, readOrchestratorConfig } from "./orchestrator-config.ts";
