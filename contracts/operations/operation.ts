import type { ErrorCode } from "../errors/catalogue.ts";
import type { RestEndpoint } from "./rest-endpoint.ts";

/** A verb of the platform, under one name on every interface that has it. GraphQL and REST are for people, gRPC is for apps. */
export interface PlatformOperation {
  /** The permission that callers without another right need, or why none is needed. */
  readonly permission: string | { readonly none: string };
  readonly graphql?: "query" | "mutation" | "subscription";
  /**
   * The argument of GraphQL that says on which app it acts: the name of the app, or its id as `appID`. Trusted pipelines, which are
   * bound to apps, use only mutations that have one.
   */
  readonly app?: AppArgument;
  /** `<service>.<method>` of `appserver.v2`, if apps call it. */
  readonly grpc?: string;
  /** Its route of REST v2, with the name as its `operationId`. `true`: a service has the route itself. */
  readonly rest?: RestEndpoint | true;
  /** Why GraphQL or REST does not have it. */
  readonly absent?: string;
  /** The commands of `appctl` that call it, or why there is none. */
  readonly appctl: readonly string[] | { readonly none: string };
  /** The codes that it can throw besides {@link commonErrors}. */
  readonly errors?: readonly OperationError[];
}

export type AppArgument = "name" | "appName" | "appID";

/** The codes that every operation can throw. */
export const commonErrors = [
  "INVALID_REQUEST",
  "AUTHENTICATION_REQUIRED",
  "AUTHENTICATION_FAILED",
  "PERMISSION_DENIED",
  "RATE_LIMIT_EXCEEDED",
  "SERVICE_UNAVAILABLE",
  "INTERNAL_ERROR",
] as const;

export type OperationError = Exclude<ErrorCode, (typeof commonErrors)[number]>;

export type Operations = Readonly<Record<string, PlatformOperation>>;

export const query = { graphql: "query", rest: true } as const;
export const mutation = { graphql: "mutation", rest: true } as const;
export const subscription = { graphql: "subscription", absent: "a stream: REST has the events of /api/v2/events" } as const;

/** For operations of apps: they have the SDK, and people do not do these things for them. */
export const ofApps = { absent: "only for apps, which use gRPC", appctl: { none: "only for apps" } } as const;
/** For operations on signed manifests. */
export const overGrpc = "developers and pipelines have it over gRPC";
