import type { RootFields } from "./recorded-graphql.ts";

const at = "2026-01-02T03:04:05.000Z";
const alice = { id: "user:alice", displayName: "Alice" };
const tuple = { user: alice.id, relation: "assignee", object: "role:developer" };
const traffic = { requests: 10, errors: 1, refused: 2, limited: 0, p50Ms: 1.25, p90Ms: 20, p99Ms: null };
const asset = {
  name: "main.js",
  mimeType: "text/javascript",
  size: 120,
  sha256: "ab",
  integrity: "sha256-q80=",
  etag: '"ab"',
  url: "/assets/main.js",
  signatureAlgorithm: "RSA-SHA256",
};

const accessRequest = {
  id: "q-1",
  person: alice,
  appName: "com.example.notes",
  access: "notes:read",
  state: "OPEN",
  requestedAt: at,
};

/** What the recorded platform answers about what happened, and about who may do what. */
export const recordedRecords: RootFields = {
  auditLog: () => ({
    edges: [
      {
        node: {
          at,
          actor: alice.id,
          client: "said: \u001b[2J",
          action: "app.install",
          target: "app:\u001b[2J",
          outcome: "denied",
        },
      },
    ],
    pageInfo: { hasNextPage: false },
  }),
  requests: () => ({
    edges: [
      {
        node: {
          ...{ requestId: "r-2", traceId: "t-2", at, appName: "com.example.notes", method: "GET", route: "/notes" },
          ...{ status: 200, durationMs: 1.26, caller: "user:\u001b[2J" },
        },
      },
      {
        node: {
          requestId: "r-1",
          traceId: "t-1",
          at,
          method: "POST",
          status: 403,
          durationMs: 3,
          reason: "denied",
          caller: alice.id,
        },
      },
    ],
    pageInfo: { hasNextPage: false },
  }),
  roles: () => [
    { id: "role:developer", isAdministrator: false, assignees: [alice] },
    { id: "role:administrator", isAdministrator: true },
  ],
  grants: () => ({
    edges: [{ node: tuple }, { node: { ...tuple, user: "group:staff#member", source: "identity.groups" } }],
    pageInfo: { hasNextPage: false },
  }),
  groups: () => [{ id: "group:acme%2Fplatform#member", name: "acme/platform", members: [alice] }],
  invitePerson: () => ({ subject: alice, link: "/login/registration#token=secret", expiresAt: at }),
  permissionHolders: () => [
    { subject: alice, via: [tuple, { user: "role:developer#assignee", relation: "holder", object: "x" }] },
  ],
  heldPermissions: () => [{ permission: "app:view", appName: null, via: [tuple] }],
  appMembers: () => [{ relation: "owner", subject: { id: "user:bob" } }],
  people: () => [],
  grantAccess: (args: object) => args,
  revokeAccess: (args: object) => args,
  accessRequests: () => ({
    edges: [{ node: { ...accessRequest, reason: "minutes \u001b[2J" } }],
    pageInfo: { hasNextPage: false },
  }),
  requestAccess: (args: object) => ({ ...accessRequest, ...args }),
  decideAccessRequest: ({ decision }: { readonly decision: string }) => ({
    ...accessRequest,
    state: decision === "GRANT" ? "GRANTED" : "DECLINED",
  }),
  metrics: ({ appName }: { readonly appName?: string }) => ({
    apps: [{ ...traffic, appName: "com.example.notes" }],
    proxy: { ...traffic, series: [], routes: appName === undefined ? [] : [{ ...traffic, route: "GET /notes" }] },
    resources: { series: [] },
    hooks: { triggered: 3 },
    activities: { timed_out: 1 },
    process: [],
    sampledAt: at,
  }),
  asset: ({ assetName }: { readonly assetName: string }) => (assetName === asset.name ? asset : null),
};
