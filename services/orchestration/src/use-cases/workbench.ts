import type { Clock, Logger } from "@appserver/kernel";
import { type Deployment, type DeploymentChanges, type DeploymentProblem, transition } from "../domain/deployment.ts";
import type { DeploymentState } from "../domain/deployment-state.ts";
import type { OrchestrationSettings } from "../domain/orchestration-settings.ts";
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

/** What the service is made of. */
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
  readonly settings: OrchestrationSettings;
  /** The orchestrator's environment, of which containers get the listed part (docs/interface/containers.md#environment). */
  readonly platform: Readonly<Record<string, string | undefined>>;
}

/** What a repair works with: the context, and the right to write about one app. */
export interface Workbench extends OrchestrationContext {
  readonly writer: Writer;
  /** Aborts when the lease is lost, the orchestrator stops, or what is being done is no longer wanted. */
  readonly signal: AbortSignal;
  readonly health: HealthWatch;
}

/** One check and what it does about it; its name is what the log says. */
export interface Repair {
  readonly name: string;
  applies(situation: Situation, bench: Workbench): boolean;
  /** Must change the situation, or it would be found again. */
  apply(situation: Situation, bench: Workbench): Promise<void>;
}

/** Makes the transition, stores it with its event, and answers what is now stored. */
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

/** Stores why a deployment is not well while its state stays. Returns what is now stored. */
export async function explain(bench: Workbench, before: Deployment, lastError: DeploymentProblem): Promise<Deployment> {
  if (before.lastError?.message === lastError.message) return before;
  const after = { ...before, lastError, updatedAt: new Date(bench.clock.now()) };
  await bench.deployments.transition(bench.writer, before, after);
  return after;
}
