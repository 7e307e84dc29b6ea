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
import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { BadRequestSchema, ErrorInfoSchema } from "@appserver/contracts/proto/google/rpc/error_details";
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { recordedActivities } from "./recorded-activities.ts";
import { notes, recordedApps } from "./recorded-apps.ts";
import { type Caller, type RootFields, serveRecorded } from "./recorded-graphql.ts";
import { recordedNotifications } from "./recorded-notifications.ts";
import { recordedRecords } from "./recorded-records.ts";
import { recordedTraces } from "./recorded-traces.ts";

/** The calls that the platform received: those of a root field under its name, those over gRPC under that of the method. */
export const requests: { method: string; authorization: string | null; request: unknown }[] = [];

function note(context: HandlerContext, request: unknown): void {
  requests.push({ method: context.method.name, authorization: context.requestHeader.get("authorization"), request });
}

/** What the recorded platform answers over gRPC. */
export const registration: Partial<ServiceImpl<typeof MarketplaceService>> = {
  registerApp(request, context) {
    note(context, request);
    const { name, version } = notes;
    if (request.manifest?.version !== "0.0.0")
      return { app: { name, version }, changed: request.manifest?.version === "1.0.0" };
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

/** The root fields, each of which notes its calls. */
export const recorded: RootFields = Object.fromEntries(
  Object.entries({
    ...recordedApps,
    ...recordedActivities,
    ...recordedTraces,
    ...recordedRecords,
    ...recordedNotifications,
  }).map(([method, answer]) => [
    method,
    (request: never, caller: Caller) => {
      requests.push({ method, authorization: caller.authorization, request });
      return answer(request, caller);
    },
  ]),
);

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export const root = mkdtempSync(join(tmpdir(), "appctl-"));
const grpcServer: Http2Server = createServer(
  connectNodeAdapter({ routes: (router) => router.service(MarketplaceService, registration) }),
);
const httpServer = serveRecorded(recorded);
let [grpcUrl, httpUrl] = ["", ""];

/** Starts the recorded platform before the tests of a file, and stops it after them. */
export function usePlatform(): void {
  before(async () => {
    [grpcUrl, httpUrl] = [await listen(grpcServer), await listen(httpServer)];
    assert.equal((await appctl("keys", "generate", join(root, "app"), "--name", "com.example.app")).code, 0);
  });
  beforeEach(() => {
    requests.length = 0;
  });
  after(() => {
    grpcServer.close();
    httpServer.close();
    rmSync(root, { recursive: true, force: true });
  });
}

async function listen(server: Server | Http2Server): Promise<string> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Runs the command line as its users do. */
export function appctl(...args: string[]): Promise<Outcome> {
  return appctlWith({}, ...args);
}

/** Runs the command line with more environment variables, or with another address of the platform. */
export function appctlWith(environment: Readonly<Record<string, string>>, ...args: string[]): Promise<Outcome> {
  return runAppctl(args, { APPSERVER_GRPC_URL: grpcUrl, APPSERVER_HTTP_URL: httpUrl, ...environment });
}

/** Runs the command line with this environment. */
export async function runAppctl(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  stdin = "",
): Promise<Outcome> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, ...environment };
  const child = spawn(process.execPath, [join(import.meta.dirname, "../src/main.ts"), ...args], { env });
  child.stdin.end(stdin);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
}

/** Writes `app.yaml` and returns its folder. */
export function app(yaml: string): string {
  writeFileSync(join(root, "app", "app.yaml"), yaml);
  return join(root, "app");
}
