import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { createServer, type Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, beforeEach } from "node:test";
import { AppState, HealthState } from "@appserver/contracts/proto/appserver/v2/common";
import {
  type App,
  AppSchema,
  DeploymentState,
  LogStream,
  MarketplaceService,
} from "@appserver/contracts/proto/appserver/v2/marketplace";
import { BadRequestSchema, ErrorInfoSchema } from "@appserver/contracts/proto/google/rpc/error_details";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { recordedActivities } from "./recorded-activities.ts";
import { type Caller, type RootFields, serveRecorded } from "./recorded-graphql.ts";
import { recordedTraces } from "./recorded-traces.ts";

export const notes: App = create(AppSchema, {
  id: "0198c0de-0000-7000-8000-000000000001",
  name: "com.example.notes",
  version: "1.0.0",
  availableVersion: "1.1.0",
  state: AppState.RUNNING,
  health: HealthState.HEALTHY,
  apiUrl: "/api/apps/com.example.notes",
  certificateExpiresAt: timestampFromDate(new Date("2036-01-02T03:04:05Z")),
});

const clock = {
  ...notes,
  name: "com.example.clock",
  availableVersion: undefined,
  state: AppState.REGISTERED,
  manifestDigest: "d4",
};

const createdAt = timestampFromDate(new Date("2026-01-02T03:04:05Z"));
const storage = [
  { name: "data", mountPath: "/data", size: "1Gi", declared: true, createdAt, usedBytes: 13_212_057n, measuredAt: createdAt },
  { name: "index", mountPath: "/srv/index", size: "100Mi", declared: false, createdAt, usedBytes: 0n },
  { name: "later", mountPath: "/later", size: "1Ti", declared: true },
];

const database = { usedBytes: 1_288_490_189n, limitBytes: 1_073_741_824n, fullSince: createdAt, measuredAt: createdAt };

const deployment = {
  id: "0198c0de-0000-7000-8000-000000000002",
  appVersion: "1.0.0",
  generation: 3,
  state: DeploymentState.RESTARTING,
  health: HealthState.UNHEALTHY,
  driver: "docker",
  image: "registry.example.com/com.example.notes:latest",
  imageDigest: `sha256:${"a".repeat(64)}`,
  containerName: "app-com.example.notes",
  restartCount: 2,
  reason: "the app exited with code 1; the next attempt is at 2026-01-02T03:04:15.000Z",
  lastCrash: { at: createdAt, exitCode: 1, output: ["listening", "Error: FOO is not configured"] },
  limits: { memoryMb: 256, cpuShares: 512, pids: 64 },
  healthCheck: { path: "/healthz", intervalMs: 10_000, timeoutMs: 2_000, threshold: 3 },
  createdAt,
  updatedAt: createdAt,
};

const transitions = [
  { from: AppState.RUNNING, to: AppState.FAILED, reason: "the app exited with code 1", at: createdAt },
  { to: AppState.REGISTERED, reason: "registered", actor: "user:admin", at: createdAt },
];

const deploymentEvents = [
  {
    deploymentId: deployment.id,
    from: DeploymentState.STARTING,
    to: DeploymentState.RESTARTING,
    error: { code: "UPSTREAM_ERROR", message: "the app exited with code 1" },
    at: createdAt,
  },
  { deploymentId: deployment.id, to: DeploymentState.PENDING, at: createdAt },
];

const operation = { id: "op-1", appName: notes.name, kind: "upgrade", version: "1.1.0", stage: "deploy", progress: 0.05 };

const ended = { ...operation, stage: "done", progress: 1, done: true };

/** What the platform is to refuse. */
export const failing = new Set<string>();

/** The calls that the platform received. */
export const requests: { method: string; authorization: string | null; request: unknown }[] = [];

function note(context: HandlerContext, request: unknown): void {
  requests.push({ method: context.method.name, authorization: context.requestHeader.get("authorization"), request });
}

function refuseUnknown(name: string): void {
  if (name === notes.name) return;
  const info = { desc: ErrorInfoSchema, value: { reason: "NOT_FOUND", domain: "appserver" } };
  throw new ConnectError(`there is no app ${name}`, Code.NotFound, undefined, [info]);
}

/** What the recorded platform answers. */
export const marketplace: Partial<ServiceImpl<typeof MarketplaceService>> = {
  getApp(request, context) {
    note(context, request);
    if (request.name === clock.name) return { app: clock };
    refuseUnknown(request.name);
    return { app: notes, storage, database, deployment, deploymentEvents, transitions };
  },
  planUpgrade(request, context) {
    note(context, request);
    const steps = [{ action: "upgrade", appName: request.name, version: "1.1.0", reason: "requested" }];
    const route = (pattern: string, more: object = {}) => ({
      ...{ pattern, methods: ["GET"], scopes: ["notes:read"], isPublic: false, timeoutMs: 10_000 },
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
    return { version: "1.1.0", steps, differences, digest: "d1" };
  },
  upgradeApp(request, context) {
    note(context, request);
    return { app: notes, operation };
  },
  rollbackApp(request, context) {
    note(context, request);
    const error = { code: "CANCELED", message: "cancelled by user:admin" };
    return { app: notes, operation: { ...operation, done: true, error } };
  },
  redeployApp(request, context) {
    note(context, request);
    return { app: notes, operation: { ...operation, kind: "redeploy" } };
  },
  async *watchOperation(request, context) {
    note(context, request);
    if (failing.delete("connection")) throw new ConnectError("the server stops", Code.Unavailable);
    yield { operation: { ...operation, stage: "pull", progress: 0.5 } };
    const error = failing.has("upgrade") ? { code: "UPSTREAM_ERROR", message: "1.1.0 did not start: exit code 1" } : undefined;
    yield { operation: { ...operation, stage: "done", progress: 1, done: true, ...(error ? { error } : {}) } };
  },
  listVersions(request, context) {
    note(context, request);
    return {
      releases: [{ version: "1.1.0", revision: 2, manifestDigest: "b".repeat(64), isCurrent: true }],
      changes: [{ kind: "upgrade", fromVersion: "1.0.0", version: "1.1.0", actor: "user:admin" }],
    };
  },
  listApps(request, context) {
    note(context, request);
    return request.pageToken === ""
      ? { apps: [notes], nextPageToken: "second" }
      : { apps: [{ ...notes, name: "com.example.clock" }], nextPageToken: "" };
  },
  installApp(request, context) {
    note(context, request);
    refuseUnknown(request.name);
    const warnings = [{ code: "SOFT", message: "clock is missing" }];
    return { app: { ...notes, state: AppState.INSTALLED }, operation: { ...operation, kind: "install" }, warnings };
  },
  planInstall(request, context) {
    note(context, request);
    const approvalsNeeded = [{ scope: "notes:read", resourceType: "com.example.notes", reason: "Counts them." }];
    return { approvalsNeeded: request.name === "com.example.clock" ? approvalsNeeded : [] };
  },
  getOperation(request, context) {
    note(context, request);
    return { operation };
  },
  approvePermissions(request, context) {
    note(context, request);
    return { app: notes, operation: ended };
  },
  uninstallApp(request, context) {
    note(context, request);
    return { app: { ...notes, state: AppState.UNINSTALLED }, operation: ended };
  },
  setAppEnabled(request, context) {
    note(context, request);
    return { app: { ...notes, enabled: request.enabled }, operation: ended };
  },
  restartApp(request, context) {
    note(context, request);
    return { app: notes, operation: ended };
  },
  async *tailLogs(request, context) {
    note(context, request);
    refuseUnknown(request.name);
    const container = `app-${request.name}`;
    const time = { seconds: 1_769_860_800n, nanos: 5_000_001 };
    const line = (text: string, more: object = {}) => ({ time, stream: LogStream.STDOUT, text, ...more });
    yield { container, generation: 1, lines: [line("it listens"), line("\x1b[31mred\x1b[2J", { stream: LogStream.STDERR })] };
    yield { container, generation: 2, isStart: true };
    yield { container, generation: 2, linesLeftOut: 7, lines: [line("long", { isCut: true })] };
    // A server that stops. The next one continues.
    if (request.follow && request.since === undefined) throw new ConnectError("the server stops", Code.Unavailable);
    if (request.follow) throw new ConnectError("revoked", Code.PermissionDenied);
  },
  deleteApp(request, context) {
    note(context, request);
    refuseUnknown(request.name);
    return { id: notes.id, operation: ended };
  },
  deleteStorage(request, context) {
    note(context, request);
    return { app: notes, operation: ended };
  },
  replaceKey(request, context) {
    note(context, request);
    return { app: notes, operation: ended };
  },
  revokePermissions(request, context) {
    note(context, request);
    return { app: notes, operation: ended };
  },
  registerApp(request, context) {
    note(context, request);
    if (request.manifest?.version !== "0.0.0") return { app: notes, changed: request.manifest?.version === "1.0.0" };
    const fieldViolations = [
      { field: "version", description: "must be greater" },
      { field: "web_app", description: "must have ui or api" },
    ];
    throw new ConnectError("the manifest breaks 2 rules", Code.InvalidArgument, undefined, [
      { desc: ErrorInfoSchema, value: { reason: "INVALID_REQUEST", domain: "appserver" } },
      { desc: BadRequestSchema, value: { fieldViolations } },
    ]);
  },
  validateManifest(request, context) {
    note(context, request);
    const valid = request.manifest?.version !== "0.0.0";
    const warnings = [{ code: "DEPENDENCY_UNSATISFIED", message: "com.example.clock is not registered" }];
    return { valid, violations: valid ? [] : [{ field: "version", message: "must be greater" }], warnings };
  },
};

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export const root = mkdtempSync(join(tmpdir(), "appctl-"));
const server: Http2Server = createServer(
  connectNodeAdapter({
    routes: (router) => {
      router.service(MarketplaceService, marketplace);
    },
  }),
);
/** The root fields, each of which notes its calls. */
const fields: RootFields = Object.fromEntries(
  Object.entries({ ...recordedActivities, ...recordedTraces }).map(([method, answer]) => [
    method,
    (request: never, caller: Caller) => {
      requests.push({ method, authorization: caller.authorization, request });
      return answer(request, caller);
    },
  ]),
);
const httpServer = serveRecorded(fields);
let platform = "";
let httpPlatform = "";

/** Starts the recorded platform before the tests of a file, and stops it after them. */
export function usePlatform(): void {
  before(async () => {
    [platform, httpPlatform] = (await Promise.all([server, httpServer].map(listen))) as [string, string];
    assert.equal((await appctl("keys", "generate", join(root, "app"), "--name", "com.example.app")).code, 0);
  });
  beforeEach(() => {
    requests.length = 0;
  });
  after(() => {
    server.close();
    httpServer.close();
    rmSync(root, { recursive: true, force: true });
  });
}

async function listen(each: Server | Http2Server): Promise<string> {
  await once(each.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(each.address() as AddressInfo).port}`;
}

/** Runs the command line as its users do. */
export function appctl(...args: string[]): Promise<Outcome> {
  return appctlWith({}, ...args);
}

/** Runs the command line with more environment variables, or with another address of the platform. */
export async function appctlWith(environment: Readonly<Record<string, string>>, ...args: string[]): Promise<Outcome> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, APPSERVER_GRPC_URL: platform, APPSERVER_HTTP_URL: httpPlatform, ...environment };
  const child = spawn(process.execPath, [join(import.meta.dirname, "../src/main.ts"), ...args], { env });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
}

/** Writes `app.yaml` and returns its folder. */
export function app(yaml: string): string {
  writeFileSync(join(root, "app", "app.yaml"), yaml);
  return join(root, "app");
}
