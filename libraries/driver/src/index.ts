export { AppError, type Clock, type Component, type Logger } from "@appserver/kernel";
export type * from "@appserver/kernel/ports";
export { ContainerError, DatabaseError } from "@appserver/kernel/ports";
export { defineSection } from "@appserver/options";
export * as types from "@appserver/options/types";
export { type Driver, type DriverIssue, defineDriver } from "./driver.ts";
export { endpointsOf } from "./endpoints.ts";
export * from "./families.ts";
