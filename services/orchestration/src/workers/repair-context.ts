import type { DeploymentProblem, DeploymentState, FaultKind, MarketplaceReads } from "@appserver/contracts/deployments";
import type { SettingVariables } from "@appserver/contracts/settings";
import type { Clock, Logger } from "@appserver/kernel";
import { type Deployment, type DeploymentChanges, transition, withDegradation } from "../domain/deployment.ts";
import { faultAfter } from "../domain/fault.ts";
import type { OrchestrationOptions } from "../domain/orchestration-options.ts";
import type {
  AppDatabases,
  ConfigurationDigests,
  ContainerRuntime,
  DataRemovals,
  DeploymentStore,
  HealthProbe,
  InstalledApps,
  Leases,
  SnapshotRecords,
  StorageRecords,
  WorkloadIdentities,
  Writer,
} from "../ports.ts";
import type { EngineOutage } from "./engine-outage.ts";
import type { HealthWatch } from "./health-watch.ts";
import type { ObservedState } from "./observed-state.ts";
import type { OrchestrationMetrics } from "./orchestration-metrics.ts";
import type { RegistryOutage } from "./registry-outage.ts";
import type { WakeTurns } from "./wake-turns.ts";

/** The dependencies of the service. */
export interface OrchestrationContext {
  readonly apps: InstalledApps;
  readonly deployments: DeploymentStore;
  readonly runtime: ContainerRuntime;
  readonly leases: Leases;
  readonly probe: HealthProbe;
  readonly marketplace: Pick<MarketplaceReads, "drainState" | "holdsRequests">;
  /** Without it, apps get the platform's own addresses and passwords. */
  readonly databases: AppDatabases | undefined;
  readonly dataRemovals: DataRemovals;
  readonly storageRecords: StorageRecords;
  readonly snapshots: SnapshotRecords;
  readonly identities: WorkloadIdentities;
  readonly settings: SettingVariables;
  readonly digests: ConfigurationDigests;
  readonly registry: RegistryOutage;
  readonly engine: EngineOutage;
  readonly turns: WakeTurns;
  readonly metrics: OrchestrationMetrics;
  /** The apps whose leases this orchestrator has. The reconcilers keep it. */
  readonly ownedApps: Set<string>;
  /** Called when the app is not installed and no container of it is left. */
  readonly onRemoved: (appName: string) => void;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly options: OrchestrationOptions;
  /** The orchestrator's environment. Containers get the listed part of it (docs/interface/containers.md#environment). */
  readonly platform: Readonly<Record<string, string | undefined>>;
}

/** The loop that works on the other deployments of the same app. */
export interface Peer {
  /** Makes it check the app again as soon as its current work is done. */
  wake(): void;
  /** Makes it check the app again at once. Its current work is aborted. */
  interrupt(): void;
}

/** The dependencies of a repair: the context, and the right to write records of one app. */
export interface RepairContext extends OrchestrationContext {
  readonly writer: Writer;
  /** Aborts if the lease is lost, the orchestrator stops, or the current work is no longer wanted. */
  readonly signal: AbortSignal;
  readonly health: HealthWatch;
  readonly peer: Peer;
}

/** A check and its action. The log contains its name. */
export interface Repair {
  readonly name: string;
  applies(observed: ObservedState, context: RepairContext): boolean;
  /** Must change the observed state. Otherwise the same repair would apply again. */
  apply(observed: ObservedState, context: RepairContext): Promise<void>;
}

/** Makes the transition and stores it with its event. Returns the stored deployment. */
export async function moveTo(
  context: RepairContext,
  before: Deployment,
  to: DeploymentState,
  changes: DeploymentChanges = {},
): Promise<Deployment> {
  const after = transition(before, to, new Date(context.clock.now()), changes);
  await context.deployments.transition(context.writer, before, after);
  const fields = { app: after.appName, deployment: after.id, from: before.state, to, error: after.lastError?.message };
  context.logger.info(fields, "orchestration: deployment changed");
  return after;
}

/** Stores changes that no other service needs, without an event. Returns the stored deployment. */
export async function amend(
  context: RepairContext,
  before: Deployment,
  changes: Pick<
    DeploymentChanges,
    "containerName" | "pausedAt" | "notBefore" | "configuration" | "healthPlan" | "lastCrash" | "wantedInstances" | "instances"
  >,
): Promise<Deployment> {
  const after = withDegradation({ ...before, ...changes, updatedAt: new Date(context.clock.now()) });
  await context.deployments.amend(context.writer, before, after);
  return after;
}

/** Stores the configuration that the deployment should have, with an event. The state does not change. */
export async function want(context: RepairContext, before: Deployment, wantedConfiguration: string | undefined): Promise<void> {
  const after = { ...before, wantedConfiguration, updatedAt: new Date(context.clock.now()) };
  await context.deployments.transition(context.writer, before, after);
}

/**
 * Stores why a deployment is not healthy, and the fault of the infrastructure that it waits for, if that is why. The state does not
 * change. Returns the stored deployment.
 */
export async function explain(
  context: RepairContext,
  before: Deployment,
  lastError: DeploymentProblem,
  kind?: FaultKind,
): Promise<Deployment> {
  if (before.lastError?.message === lastError.message) return before;
  const now = context.clock.now();
  const fault = kind && faultAfter(before.fault, { kind, message: lastError.message }, now);
  const after = { ...before, lastError, fault, updatedAt: new Date(now) };
  await context.deployments.transition(context.writer, before, after);
  return after;
}
