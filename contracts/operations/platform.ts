import { mutation, notOverGrpc, type Operations, query, subscription } from "./operation.ts";

/** Access is managed by people in a browser, and by operators on the command line of the server. */
const access = {
  absent: "people manage access in a browser, operators with `appserver authz`",
  appctl: { none: "operators use `appserver authz`" },
} as const;
const ofPages = { absent: "browsers load pages", appctl: { none: "browsers load pages" } } as const;
const eachSeesItsOwn = { none: "each caller sees its own pages" } as const;
const ofRest = { none: "it describes REST" } as const;

/** Operations on the platform itself: events, access, audit, pages, health and descriptions. */
export const platformOwnOperations: Operations = {
  systemEvents: { ...query, permission: "event:view", absent: "apps watch what concerns them", appctl: ["events"] },
  systemEventById: {
    ...query,
    permission: "event:view",
    absent: "apps watch what concerns them",
    appctl: notOverGrpc,
    errors: ["NOT_FOUND"],
  },
  systemEvent: { ...subscription, permission: "event:view", absent: "REST streams `systemEvents`", appctl: notOverGrpc },
  trace: {
    ...query,
    permission: "trace:view",
    grpc: "TraceService.GetTrace",
    appctl: ["trace"],
    errors: ["NOT_FOUND"],
  },
  metrics: {
    ...query,
    permission: "metrics:view",
    absent: "programs read /metrics in Prometheus' format",
    appctl: notOverGrpc,
  },
  platform: {
    ...query,
    permission: "platform:view",
    absent: "operators have `appserver config print`",
    appctl: { none: "operators use `appserver config print`" },
  },
  permissionHolders: { ...query, ...access, permission: "access:view", errors: ["NOT_FOUND"] },
  heldPermissions: { ...query, ...access, permission: "access:view" },
  roles: { ...query, ...access, permission: "access:view" },
  appMembers: { ...query, ...access, permission: "access:view" },
  people: { ...query, ...access, permission: "access:view" },
  grantAccess: { ...mutation, ...access, permission: "access:manage" },
  revokeAccess: { ...mutation, ...access, permission: "access:manage", errors: ["NOT_FOUND", "INVALID_STATE"] },
  auditLog: { ...query, permission: "audit:view", absent: "people read it", appctl: notOverGrpc },
  viewer: {
    ...query,
    permission: { none: "every caller may ask who it is" },
    absent: "apps know who they are, and `appctl` uses REST",
    appctl: ["whoami"],
  },
  frontendFeed: { ...query, ...ofPages, permission: eachSeesItsOwn },
  frontendPage: { ...query, ...ofPages, appctl: ["open"], permission: eachSeesItsOwn, errors: ["NOT_FOUND"] },
  health: {
    ...query,
    permission: { none: "probes read it" },
    absent: "grpc.health.v1 has it",
    appctl: { none: "probes read /ready" },
  },
  docs: { permission: ofRest, rest: true, absent: "a page for people", appctl: { none: "a page for people" } },
  openApi: {
    permission: ofRest,
    rest: true,
    absent: "GraphQL and gRPC describe themselves",
    appctl: { none: "for programs that call REST" },
  },
};
