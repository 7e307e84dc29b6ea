import { accessOperations } from "./access.ts";
import { activityOperations } from "./activities.ts";
import { appOperations } from "./apps.ts";
import { backupOperations } from "./backups.ts";
import { commandOperations } from "./commands.ts";
import { hookOperations } from "./hooks.ts";
import { notificationOperations } from "./notifications.ts";
import type { Operations } from "./operation.ts";
import { platformOwnOperations } from "./platform.ts";
import { settingsOperations } from "./settings.ts";

export { grpcInputNames, type InputNames, restInputNames, unsharedInputs } from "./inputs.ts";
export { type AppArgument, commonErrors, type OperationError, type Operations, type PlatformOperation } from "./operation.ts";
export type { PathArgument, Reply, RestEndpoint, View } from "./rest-endpoint.ts";
export { noTools, type PlatformTool, platformTools, toolsWithoutApp, unknownTools } from "./tools.ts";

/** Every operation by its name in GraphQL, or in lower camel case over gRPC. */
export const platformOperations: Operations = {
  ...appOperations,
  ...settingsOperations,
  ...commandOperations,
  ...hookOperations,
  ...notificationOperations,
  ...backupOperations,
  ...activityOperations,
  ...accessOperations,
  ...platformOwnOperations,
};
