export { orchestrateRefusals } from "../refusals.ts";
export { orchestrateSchema, orchestrateSections } from "./orchestrate-schema.ts";
export { type OrchestratorConfig, readOrchestrateConfiguration, readOrchestratorConfig } from "./orchestrator-config.ts";
