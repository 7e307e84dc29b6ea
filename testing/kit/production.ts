export { type ContainerNetwork, openContainerNetwork } from "./container-network.ts";
export { type OrchestratorOptions, ProductionOrchestrator } from "./production-orchestrator.ts";
export { ProductionPlatform } from "./production-platform.ts";
export { appserver, type CommandResult, ProductionProcess, runAppserver } from "./production-process.ts";
export { ProductionServer } from "./production-server.ts";
export { type OwnServers, type ProductionServices, startProductionServices } from "./production-services.ts";
export { quietPort } from "./quiet-port.ts";
export { startProductionPlatform } from "./start-production-platform.ts";
