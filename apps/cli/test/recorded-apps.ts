import { type RootFields, refusal } from "./recorded-graphql.ts";

export const notes = {
  id: "0198c0de-0000-7000-8000-000000000001",
  name: "com.example.notes",
  version: "1.0.0",
  availableVersion: "1.1.0",
  availableDigest: "d11",
  state: "RUNNING",
  health: "HEALTHY",
  enabled: true,
  api: { publicUrl: "/api/apps/com.example.notes" },
  certificateExpiresAt: "2036-01-02T03:04:05.000Z",
};

const clock = {
  ...notes,
  name: "com.example.clock",
  availableVersion: null,
  availableDigest: null,
  state: "REGISTERED",
  manifestDigest: "d4",
};

const at = "2026-01-02T03:04:05.000Z";
const storage = [
  { name: "data", mountPath: "/data", size: "1Gi", declared: true, createdAt: at, usedBytes: 13_212_057, measuredAt: at },
  { name: "index", mountPath: "/srv/index", size: "100Mi", declared: false, createdAt: at, usedBytes: 0 },
  { name: "later", mountPath: "/later", size: "1Ti", declared: true },
];

const snapshot = { appVersion: "1.0.0", reason: "MANUAL", state: "COMPLETED", storage: [], createdAt: at, finishedAt: at };
const snapshots = [
  { ...snapshot, id: "0198c0de-0000-7000-8000-0000000000b4", reason: "RESTORE", pausedMs: 900, databaseBytes: 8_388_608 },
  { ...snapshot, id: "0198c0de-0000-7000-8000-0000000000b3", state: "FAILED", error: "the copy did not end within 30 s" },
  {
    ...{ ...snapshot, id: "0198c0de-0000-7000-8000-0000000000b2", label: "before the import", pausedMs: 1_250 },
    ...{ databaseBytes: 8_388_608, storage: [{ name: "data", usedBytes: 4_194_304 }] },
  },
  { ...snapshot, id: "0198c0de-0000-7000-8000-0000000000b1", reason: "UPGRADE" },
];

const deployment = {
  id: "0198c0de-0000-7000-8000-000000000002",
  appVersion: "1.0.0",
  generation: 3,
  state: "RESTARTING",
  healthStatus: "UNHEALTHY",
  driver: "docker",
  image: "registry.example.com/com.example.notes:latest",
  imageDigest: `sha256:${"a".repeat(64)}`,
  containerName: "app-com.example.notes",
  restartCount: 2,
  wantedInstances: 2,
  instances: [
    { id: "0f3c1b2a-4d5e-4f60-8a71-92b3c4d5e6f7", place: "node-1", ready: true, startedAt: at, restarts: 0 },
    {
      ...{ id: "1a2b3c4d-5e6f-4a70-8b81-92c3d4e5f607", place: "node-2", ready: false, restarts: 3 },
      ...{ lastEnd: { at, exitCode: 137, cause: "memory" }, problem: "back-off 20s restarting failed container" },
    },
  ],
  reason: "the app exited with code 1; the next attempt is at 2026-01-02T03:04:15.000Z",
  lastCrash: { at, exitCode: 1, output: ["listening", "Error: FOO is not configured"] },
  limits: { memoryMb: 256, cpuShares: 512, pids: 64 },
  healthCheck: { path: "/healthz", intervalMs: 10_000, timeoutMs: 2_000, threshold: 3 },
  createdAt: at,
  updatedAt: at,
};

const describedNotes = {
  ...notes,
  storage,
  deployment,
  database: { usedBytes: 1_288_490_189, limitBytes: 1_073_741_824, fullSince: at, measuredAt: at },
  history: [
    { from: "RUNNING", to: "FAILED", reason: "the app exited with code 1", at },
    { to: "REGISTERED", reason: "registered", actor: "user:admin", at },
  ],
  deploymentEvents: [
    {
      deploymentId: deployment.id,
      from: "STARTING",
      to: "RESTARTING",
      error: { code: "UPSTREAM_ERROR", message: "the app exited with code 1" },
      at,
    },
    { deploymentId: deployment.id, to: "PENDING", at },
  ],
  releases: [
    {
      version: "1.1.0",
      revision: 2,
      manifestDigest: "b".repeat(64),
      isCurrent: true,
      registeredAt: at,
      source: { provider: "GITHUB", repository: "acme/notes", commit: "0123456789abcdef", ref: "refs/heads/main" },
    },
  ],
  versionHistory: [{ kind: "UPGRADE", fromVersion: "1.0.0", version: "1.1.0", actor: "user:admin", at }],
};

const route = (pattern: string, more: object = {}) => ({
  pattern,
  methods: ["GET"],
  scopes: ["notes:read"],
  isPublic: false,
  timeoutMs: 10_000,
  ...more,
});

const differences = {
  permissions: { added: [{ scope: "page:origin", resourceType: "platform", reason: "a", digest: "d" }] },
  routes: {
    added: [route("/tags")],
    removed: [route("/ping", { isPublic: true })],
    changed: [
      {
        from: route("/notes"),
        to: route("/notes", { timeoutMs: 5_000, rateLimit: { rpm: 5 } }),
        fields: ["rateLimit", "timeoutMs"],
      },
    ],
  },
  navigation: { added: [{ titles: ["Notes", "Tags"], href: "/notes/tags" }], removed: [] },
  settings: { added: [{ key: "notes.limit", type: "INT" }], removed: [] },
  hooks: { added: ["com.example.clock.ticked"], removed: [] },
  dependencies: {
    added: [{ appName: "com.example.clock", versionConstraint: "^1.0.0", hard: true }],
    removed: [],
    changed: [],
  },
  storage: { added: [], removed: [{ name: "data", mountPath: "/data", size: "1Gi" }], changed: [] },
  environment: {
    added: [{ name: "TOKEN", setting: "notes.token" }],
    removed: [{ name: "LEVEL", value: "info" }],
    changed: [{ from: { name: "MODE", value: "a" }, to: { name: "MODE", value: "b" }, fields: ["value"] }],
  },
  resources: { added: [{ resource: "memory_mb", limit: 256 }], removed: [], changed: [] },
  irreversibleMigration: true,
  user: { to: "root" },
};

const operation = { id: "op-1", appName: notes.name, kind: "upgrade", version: "1.1.0", stage: "deploy", progress: 0.05 };
const ended = { ...operation, stage: "done", progress: 1, done: true };

interface Named {
  readonly name: string;
}

interface LogArguments extends Named {
  readonly since?: string | null;
  readonly follow: boolean;
  readonly instance?: string | null;
}

/** What the recorded platform is to refuse. */
export const failing = new Set<string>();

function refuseUnknown({ name }: Named): void {
  if (name !== notes.name) throw refusal(`there is no app ${name}`, "NOT_FOUND");
}

const done = () => ({ app: notes, operation: ended });

/** What the recorded platform answers about apps. */
export const recordedApps: RootFields = {
  apps: ({ after }: { readonly after?: string | null }) =>
    after == null
      ? { edges: [{ node: notes }], pageInfo: { hasNextPage: true, endCursor: "second" } }
      : { edges: [{ node: clock }], pageInfo: { hasNextPage: false } },
  app: ({ name }: Named) => (name === clock.name ? clock : name === notes.name ? describedNotes : null),
  installPlan: ({ name }: Named) => {
    const approvalsNeeded = [{ scope: "notes:read", resourceType: "com.example.notes", reason: "Counts them." }];
    return { image: { digest: null }, approvalsNeeded: name === clock.name ? approvalsNeeded : [] };
  },
  upgradePlan: ({ name }: Named) => {
    const image = { digest: `sha256:${"d".repeat(64)}` };
    const steps = [{ action: "upgrade", appName: name, version: "1.1.0", image, reason: "requested" }];
    return { version: "1.1.0", steps, differences, digest: "d1" };
  },
  operation: () => operation,
  installApp: (args: Named) => {
    refuseUnknown(args);
    const warnings = [{ code: "SOFT", message: "clock is missing" }];
    return { app: { ...notes, state: "INSTALLED" }, operation: { ...operation, kind: "install" }, warnings };
  },
  upgradeApp: () => ({ app: notes, operation }),
  rollbackApp: () => {
    const error = { code: "CANCELED", message: "cancelled by user:admin" };
    return { app: notes, operation: { ...operation, done: true, error } };
  },
  redeployApp: () => ({ app: notes, operation: { ...operation, kind: "redeploy" } }),
  approvePermissions: done,
  revokePermissions: done,
  uninstallApp: done,
  setAppEnabled: done,
  restartApp: done,
  replaceKey: done,
  deleteStorage: done,
  appSnapshots: ({ name }: Named) => (name === notes.name ? snapshots : []),
  createAppSnapshot: () => ({ app: notes, operation: { ...operation, kind: "create_snapshot" } }),
  cloneApp: () => ({ app: notes, operation: { ...operation, kind: "restore_snapshot" } }),
  restoreAppSnapshot: () => ({ app: notes, operation: { ...operation, kind: "restore_snapshot" } }),
  deleteAppSnapshot: done,
  deleteApp: (args: Named) => {
    refuseUnknown(args);
    return { id: notes.id, operation: ended };
  },
  async *operationProgress() {
    if (failing.delete("connection")) throw refusal("the server stops", "SERVICE_UNAVAILABLE");
    yield { operationProgress: { ...operation, stage: "pull", progress: 0.5 } };
    const error = failing.has("upgrade") ? { code: "UPSTREAM_ERROR", message: "1.1.0 did not start: exit code 1" } : null;
    yield { operationProgress: { ...ended, error } };
  },
  async *appLog({ name, since, follow, instance }: LogArguments) {
    refuseUnknown({ name });
    const time = "2026-01-31T12:00:00.005Z";
    const of = { container: `app-${name}`, generation: 1 };
    if (instance != null) {
      yield { appLog: { ...of, instance, lines: [{ time, stream: "STDOUT", text: "of one", ...of, instance }] } };
      return;
    }
    const line = (text: string, more: object = {}) => ({ time, stream: "STDOUT", text, ...of, ...more });
    yield { appLog: { ...of, lines: [line("it listens"), line("\x1b[31mred\x1b[2J", { stream: "STDERR" })] } };
    yield { appLog: { ...of, generation: 2, isStart: true } };
    yield { appLog: { ...of, linesLeftOut: 7, lines: [line("long", { isCut: true, generation: 2 })] } };
    // A server that stops. The next one continues.
    if (follow && since == null) throw refusal("the server stops", "SERVICE_UNAVAILABLE");
    if (follow) yield { appLog: { ...of, lines: [line("it listens")] } };
    if (follow) throw refusal("revoked", "PERMISSION_DENIED");
  },
};
