export { type OrchestratorParts, type RunningOrchestrator, runOrchestrator } from "./compose.ts";
export { type OrchestratorConfig, readOrchestratorConfig } from "./config/orchestrator-config.ts";
export { createOrchestrator, type Orchestrator, type OrchestratorDependencies } from "./orchestrator.ts";
