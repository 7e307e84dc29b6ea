import type { Clock, Logger } from "@appserver/kernel";
import { type Deployment, type DeploymentChanges, type DeploymentProblem, transition } from "../domain/deployment.ts";
import type { DeploymentState } from "../domain/deployment-state.ts";
import type { OrchestrationOptions } from "../domain/orchestration-options.ts";
import type {
  ContainerRuntime,
  DeploymentStore,
  HealthProbe,
  Hints,
  InstalledApps,
  Leases,
  OrchestrationMetrics,
  Writer,
} from "../ports.ts";
import type { HealthWatch } from "./health-watch.ts";
import type { Situation } from "./situation.ts";

/** The dependencies of the service. */
export interface OrchestrationContext {
  readonly apps: InstalledApps;
  readonly deployments: DeploymentStore;
  readonly runtime: ContainerRuntime;
  readonly leases: Leases;
  readonly hints: Hints;
  readonly probe: HealthProbe;
  readonly metrics: OrchestrationMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly options: OrchestrationOptions;
  /** The orchestrator's environment. Containers get the listed part of it (docs/interface/containers.md#environment). */
  readonly platform: Readonly<Record<string, string | undefined>>;
}

/** The dependencies of a repair: the context, and the right to write records of one app. */
export interface Workbench extends OrchestrationContext {
  readonly writer: Writer;
  /** Aborts if the lease is lost, the orchestrator stops, or the current work is no longer wanted. */
  readonly signal: AbortSignal;
  readonly health: HealthWatch;
}

/** A check and its action. The log contains its name. */
export interface Repair {
  readonly name: string;
  applies(situation: Situation, bench: Workbench): boolean;
  /** Must change the situation. Otherwise the same repair would apply again. */
  apply(situation: Situation, bench: Workbench): Promise<void>;
}

/** Makes the transition and stores it with its event. Returns the stored deployment. */
export async function moveTo(
  bench: Workbench,
  before: Deployment,
  to: DeploymentState,
  changes: DeploymentChanges = {},
): Promise<Deployment> {
  const after = transition(before, to, new Date(bench.clock.now()), changes);
  await bench.deployments.transition(bench.writer, before, after);
  const fields = { app: after.appName, deployment: after.id, from: before.state, to, error: after.lastError?.message };
  bench.logger.info(fields, "deployment changed");
  return after;
}

/** Stores why a deployment is not healthy. The state does not change. Returns the stored deployment. */
export async function explain(bench: Workbench, before: Deployment, lastError: DeploymentProblem): Promise<Deployment> {
  if (before.lastError?.message === lastError.message) return before;
  const after = { ...before, lastError, updatedAt: new Date(bench.clock.now()) };
  await bench.deployments.transition(bench.writer, before, after);
  return after;
}
