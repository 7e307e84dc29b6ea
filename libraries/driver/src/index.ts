export { AppError, type Clock, type Component, type Logger } from "@appserver/kernel";
export type * from "@appserver/kernel/ports";
export { ContainerError, checkReplicas, DatabaseError, plainAbilities, singleInstance } from "@appserver/kernel/ports";
export { defineSection } from "@appserver/options";
export * as types from "@appserver/options/types";
export { type Driver, type DriverIssue, defineDriver } from "./driver.ts";
export { endpointsOf } from "./endpoints.ts";
export * from "./families.ts";
export { lackingRelations } from "./lacking-relations.ts";
export { type Flight, LocalCopies } from "./local-copies.ts";
export { MissedChanges } from "./missed-changes.ts";
export {
  type RegistryImage,
  registryAuthorization,
  registryFailure,
  registryImage,
  registryRefusal,
} from "./registry-image.ts";
export { isSameModel } from "./same-model.ts";
