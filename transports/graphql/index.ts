export { bindToApps } from "../bound-calls.ts";
export type { Authenticate, GraphqlCredentials, Reauthentication, ReauthenticationOf } from "./context.ts";
export { createExecutableSchema, type ServiceResolvers } from "./executable-schema.ts";
export type { GraphqlLimits } from "./executor.ts";
export { problemOf } from "./graphql-errors.ts";
export { createGraphqlListener, type GraphqlListenerOptions } from "./graphql-listener.ts";
export { healthResolvers } from "./health-resolvers.ts";
