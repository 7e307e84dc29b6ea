import type { Deployments } from "@appserver/contracts/deployments";
import { quote } from "@appserver/contracts/patterns";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { Problem } from "@appserver/kernel";
import { AppError, type Clock, type Logger } from "@appserver/kernel";
import type { AppRecord, AppTransition, Condition } from "../domain/app.ts";
import type { AppEvent } from "../domain/app-events.ts";
import { stateChanged } from "../domain/app-events.ts";
import { type AppTrigger, nextState } from "../domain/app-state.ts";
import type { MaxLimits } from "../domain/excessive-limits.ts";
import type { LiveApp } from "../domain/live-app.ts";
import type { CrossAppApproval } from "../domain/required-permissions.ts";
import type {
  AppChange,
  AppParticipant,
  AppPermissions,
  AppRegistry,
  ApprovalStore,
  AppSettings,
  AppStore,
  AuditRecord,
  CommandLock,
  EventHistory,
  OperationReads,
} from "../ports.ts";
import type { UnstartedSwitches } from "./unstarted-switches.ts";

/** Rules that the operator sets. */
export interface MarketplacePolicy {
  /** Semantic version of the platform. */
  readonly platformVersion: string;
  readonly registration: "open" | "token" | "ca";
  /** Set if `registration` is `token`. */
  readonly registrationToken?: string;
  /** PEM certificates of the authorities that may issue app certificates, if `registration` is `ca`. */
  readonly certificateAuthorities?: readonly string[];
  /** Whether unsigned assets and unsigned first manifests are accepted (the default in embedded mode). */
  readonly allowUnsigned: boolean;
  /** Which permissions on other apps need an approval. */
  readonly crossAppApproval: CrossAppApproval;
  /** `{registry_url}` of docs/interface/containers.md#image. Empty: use images of the local container engine. */
  readonly imageRegistry: string;
  /** The stage of apps whose settings do not set one. */
  readonly imageStage: string;
  /** The highest limits that an app may declare for its container. */
  readonly maxLimits: MaxLimits;
  /** Number of releases of each app that are kept, including the one that serves. */
  readonly keepVersions: number;
  /** Maximum time for the exchanges of a deployment that was replaced. The orchestrator begins another switch only after it. */
  readonly drainTimeoutMs: number;
}

/** The dependencies that all use cases of the service share. */
export interface MarketplaceContext {
  readonly apps: AppRegistry;
  readonly store: AppStore;
  readonly approvals: ApprovalStore;
  readonly lock: CommandLock;
  readonly permissions: AppPermissions;
  readonly deployments: Deployments;
  readonly eventHistory: Pick<EventHistory, "newest">;
  /** The services that take part in the life of an app. They prepare it in this order and purge it in the reverse order. */
  readonly participants: readonly AppParticipant[];
  readonly settings: AppSettings;
  /** The operations that callers watch. */
  readonly operationReads: OperationReads;
  readonly unstarted: UnstartedSwitches;
  readonly policy: MarketplacePolicy;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Returns the app as it is stored now. Throws NOT_FOUND if it does not exist, or if its id is not `appId`. */
export async function requireApp(
  { apps }: Pick<MarketplaceContext, "apps">,
  name: string,
  appId?: string | undefined,
): Promise<LiveApp> {
  const live = requireKnown(await apps.current(name), name);
  if (appId !== undefined && live.app.id !== appId) throw unknownAppId(appId);
  return live;
}

/** Returns an app whose record was just stored or read. Reads it only if this process does not hold that record. */
export async function liveOf({ apps }: Pick<MarketplaceContext, "apps">, { id, name, rowVersion }: AppRecord) {
  const held = apps.get(name);
  return held?.app.id === id && held.app.rowVersion === rowVersion ? held : apps.current(name);
}

/** Returns the app if it exists. Throws NOT_FOUND otherwise. */
export function requireKnown(app: LiveApp | undefined, name: string): LiveApp {
  if (!app) throw unknownApp(name);
  return app;
}

/** Returns the error NOT_FOUND for a name that no app has. */
export function unknownApp(name: string): AppError {
  return new AppError("NOT_FOUND", `no app is registered under the name ${quote(name)}`, { details: { app: name } });
}

/** Returns the error NOT_FOUND for an id that no app has. */
export function unknownAppId(appId: string): AppError {
  return new AppError("NOT_FOUND", `no app has the id ${quote(appId)}`, { details: { appId } });
}

/** Returns the manifest of the app's current version. Reads it only if this process does not hold it. */
export async function manifestOf({ apps, store }: MarketplaceContext, app: AppRecord): Promise<AppManifest> {
  const manifest = apps.manifestOf(app) ?? (await store.manifest(app.id, app.manifestDigest));
  if (!manifest) throw new Error(`the manifest of ${app.name} ${app.version} is missing`);
  return manifest;
}

/** Returns the problems of an app that an operator should fix. */
export async function conditionsOf({ participants }: MarketplaceContext, app: AppRecord): Promise<readonly Condition[]> {
  const found = await Promise.all(participants.map(async (participant) => (await participant.conditions?.(app)) ?? []));
  return [...app.conditions, ...found.flat()];
}

export interface TransitionOptions {
  readonly reason: string;
  readonly actor?: string | undefined;
  /** Fields that change together with the state. */
  readonly fields?: Partial<AppRecord>;
  /** Returns further events for the same transaction, built from the record to be stored. */
  readonly events?: (app: AppRecord, at: Date) => readonly AppEvent[];
  readonly versionChange?: AppChange["versionChange"];
  readonly operation?: AppChange["operation"];
  readonly audit?: AuditRecord;
}

/** Returns the app for an attempt of `onCurrentApp` that begins with a known record: that record first, later what is stored. */
export async function appForAttempt(context: MarketplaceContext, known: AppRecord, attempt: number): Promise<AppRecord> {
  return attempt === 1 ? known : (await requireApp(context, known.name, known.id)).app;
}

/** Changes the state of an app by the state table. Stores state, history and events in one transaction. */
export function transition(
  context: MarketplaceContext,
  app: AppRecord,
  trigger: AppTrigger,
  options: TransitionOptions,
): Promise<AppRecord> {
  const at = new Date(context.clock.now());
  const to = nextState(app.name, app.state, trigger);
  const step: AppTransition = { from: app.state, to, reason: options.reason, actor: options.actor, at };
  const next: AppRecord = { ...app, ...options.fields, state: to, updatedAt: at };
  return context.store.save({
    app: next,
    expectedRowVersion: app.rowVersion,
    transition: step,
    events: [stateChanged(next, step), ...(options.events?.(next, at) ?? [])],
    ...(options.versionChange ? { versionChange: options.versionChange } : {}),
    ...(options.operation ? { operation: options.operation } : {}),
    ...(options.audit ? { audit: options.audit } : {}),
  });
}

/**
 * Converts an error for storage and display. Expected errors keep their code and message. Details of unexpected errors are
 * hidden.
 */
export function problemOf(error: unknown): Problem {
  if (error instanceof AppError) return { code: error.code, message: error.message, details: error.details };
  return { code: "INTERNAL_ERROR", message: "an unexpected error; its cause is in the log of the platform" };
}
