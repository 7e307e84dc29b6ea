import { createSecretKey, type KeyObject } from "node:crypto";
import { EmbeddedAuthorization, MemoryTupleStore } from "@appserver/authorization-embedded";
import { authorizationModel, initialTuples } from "@appserver/contracts/authorization";
import { systemEventOf } from "@appserver/contracts/events";
import type { SignedPost } from "@appserver/contracts/webhooks";
import { type Caller, platformMigrations, SqlOutbox, SystemClock, silentLogger } from "@appserver/kernel";
import type { Broker, Database } from "@appserver/kernel/ports";
import {
  AuthorizedPermissions,
  plainSeal,
  RecordingMetrics,
  recordsMigrations,
  SqlAuditLog,
  SqlEventHistory,
} from "@appserver/testing/kit";
import {
  type Backend,
  createHooks,
  type HookApp,
  type Hooks,
  type HooksOptions,
  hooksMigrations,
  type PushAnswer,
  type PushTransport,
  type TargetsDeps,
} from "../src/index.ts";

/** The options of the service, with their defaults. */
const hooksOptions: HooksOptions = {
  retry: { delaysMs: [5_000, 300_000, 1_800_000] },
  answerTimeoutMs: 30_000,
  onCreateTimeoutMs: 30_000,
  subscribeNeedsPermission: true,
  maxWaitingPerApp: 200_000,
};

/** Options of one test. The other options have their defaults. */
export type ChangedOptions = Partial<Omit<HooksOptions, "retry">> & { readonly retry?: Partial<HooksOptions["retry"]> };

export const admin: Caller = { kind: "user", id: "admin", displayName: "Admin" };
export const bob: Caller = { kind: "user", id: "bob", displayName: "Bob" };
export const forwardKey: KeyObject = createSecretKey(Buffer.alloc(32, 3));
export const platformKey = new TextEncoder().encode("0123456789abcdef0123456789abcdef");

export function callerOf(name: string): Caller {
  return { kind: "app", name, id: `id of ${name}` };
}

export function hookApp(name: string, hooks: Readonly<Record<string, string | undefined>> = {}, backend?: Backend): HookApp {
  const declared = Object.entries(hooks).map(([hookName, path]) => ({ hookName, path }));
  return { id: crypto.randomUUID(), name, version: "1.0.0", declaredBy: "1.0.0#1", hooks: declared, backend };
}

/** Apps that tests add and remove. */
export class TestApps {
  readonly known = new Map<string, HookApp>();

  put(...apps: readonly HookApp[]): void {
    for (const app of apps) this.known.set(app.name, app);
  }

  get(name: string): HookApp | undefined {
    return this.known.get(name);
  }
}

export interface Post {
  readonly backend: Backend;
  readonly path: string;
  readonly request: SignedPost;
}

/** Backends that respond as the test says. */
export class TestTransport {
  readonly posts: Post[] = [];
  answer: (post: Post) => PushAnswer | Promise<PushAnswer> = () => ({ status: 200, retryAfter: undefined });

  allowsAddress(): boolean {
    return true;
  }

  async post(backend: Backend, path: string, request: SignedPost): Promise<PushAnswer> {
    const post = { backend, path, request };
    this.posts.push(post);
    return this.answer(post);
  }
}

export async function migrateHooks(database: Database): Promise<void> {
  await database.migrate([...platformMigrations, ...recordsMigrations, ...hooksMigrations]);
}

export interface Replica {
  readonly hooks: Hooks;
  readonly authorization: EmbeddedAuthorization;
  readonly metrics: RecordingMetrics;
  stop(): Promise<void>;
}

/** Stores the subscriptions of the apps' manifests. */
export async function declare(database: Database, hooks: Hooks, ...apps: readonly HookApp[]): Promise<void> {
  for (const app of apps) await database.transaction(await hooks.declarations(app));
}

/** Starts a replica of the service on a database that other replicas may share, and stores the subscriptions of the known apps. */
export async function startReplica(
  database: Database,
  apps: TestApps,
  changed: ChangedOptions = {},
  transport: PushTransport = new TestTransport(),
  observe: Pick<Broker, "observe">["observe"] = async () => ({ close: async () => {} }),
  targets: Partial<TargetsDeps> = {},
): Promise<Replica> {
  const clock = new SystemClock();
  const authorization = new EmbeddedAuthorization({ model: authorizationModel, store: new MemoryTupleStore(), clock });
  await authorization.start();
  await authorization.write({
    writes: [
      ...initialTuples,
      { user: "user:admin", relation: "assignee", object: "role:easy" },
      { user: "app:watcher", relation: "holder", object: "permission_scope:veto_app" },
    ],
  });
  const metrics = new RecordingMetrics();
  const hooks = createHooks({
    database,
    metrics,
    audit: new SqlAuditLog({ database, clock }),
    apps,
    permissions: new AuthorizedPermissions(authorization),
    forgetDecisions: async () => {},
    transport,
    // Most tests are about deliveries, not about permissions.
    policy: {
      ...hooksOptions,
      subscribeNeedsPermission: false,
      ...changed,
      retry: { ...hooksOptions.retry, ...changed.retry },
    },
    clock,
    outbox: new SqlOutbox(),
    broker: { observe },
    notifications: { triggered: async function* () {} },
    forwardKeys: { of: () => forwardKey },
    platformKeys: [platformKey],
    logger: silentLogger,
    source: "/appserver/test",
    targets: {
      events: new SqlEventHistory({ database, clock, present: systemEventOf }),
      mail: undefined,
      lookMs: 100,
      seal: plainSeal,
      configured: { mailTo: undefined, webhook: undefined, slackUrl: undefined },
      ...targets,
    },
  });
  await hooks.start?.();
  await declare(database, hooks, ...apps.known.values());
  return {
    hooks,
    authorization,
    metrics,
    stop: async () => {
      await hooks.stop?.();
      await authorization.stop();
    },
  };
}
