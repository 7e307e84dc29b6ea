import { backOffLeft, type Deployment, type DeploymentRole } from "../domain/deployment.ts";
import type { DesiredApp } from "../domain/desired-app.ts";
import { healthPlan } from "../domain/health-plan.ts";
import type { ContainerView, DeploymentsByRole } from "../ports.ts";
import { unusedNetworks } from "./app-network.ts";
import { compareConfiguration } from "./container-configuration.ts";
import { withKnown } from "./known-instances.ts";
import {
  type Comparison,
  desiredFor,
  findContainer,
  isPaused,
  isSwitched,
  isWanted,
  mustPause,
  needsDeployment,
  type ObservedState,
} from "./observed-state.ts";
import type { Repair, RepairContext } from "./repair-context.ts";
import { currentRepairs, nextRepairs, retiringRepairs, snapshotRepairs, switchingRepairs } from "./repairs/index.ts";
import { isChecked, probeAgain } from "./repairs/probe-health.ts";
import { startStopped } from "./repairs/start-stopped.ts";
import { isSnapshotRunning } from "./snapshot-work.ts";

/**
 * The deployments of an app that one loop works on: the one that serves, or those that are started and stopped during a switch.
 */
export type LoopRole = "current" | "switching";

/** The result when no repair applies: nothing should run, or the app is checked again after a while. */
export type Rest = { readonly kind: "absent" } | Watching;

interface Watching {
  readonly kind: "watching";
  readonly lookAgainMs: number;
  /**
   * Does instead of another look what is due after that time. Returns the time until it is due again, or undefined if the app must be
   * looked at.
   */
  readonly probeAgain?: () => Promise<number | undefined>;
}

/** More steps in one run than any path through the state table has. */
const maxSteps = 60;
const shortestPauseMs = 100;
/** Only requests and sweeps wake the loop of an app that is asleep. */
const asleepPauseMs = 600_000;
/** The other loop notifies this one. This interval is for a notification that came too early. */
const peerPauseMs = 1_000;

/**
 * Makes the deployments of one loop match the app's installation. Reads the state, applies the first repair that matches,
 * and repeats until none matches. Every step starts from the stored state and the running container, so the process may be
 * killed at any point.
 */
export async function reconcileApp(context: RepairContext, loop: LoopRole, isStartup: boolean): Promise<Rest> {
  let startsStopped = isStartup;
  for (let step = 0; step < maxSteps; step++) {
    context.signal.throwIfAborted();
    const observed = await observe(context, loop, startsStopped);
    const repair = repairsOf(observed).find(({ applies }) => applies(observed, context));
    if (observed.role === "current" && !isWaking(observed.deployment)) context.turns.end(observed.appName);
    if (!repair) return rest(observed, context);
    const { appName: app, role } = observed;
    context.logger.debug({ app, role, repair: repair.name }, "orchestration: repairing the app");
    await repair.apply(observed, context);
    // A container that ends once more does so by itself.
    if (repair === startStopped) startsStopped = false;
    context.peer.wake();
  }
  throw new Error(`${context.writer.appName} still needs repairs after ${maxSteps} steps`);
}

/** Returns whether the deployment is asleep or starts. Every app that is woken passes only these states. */
function isWaking(deployment: Deployment | undefined): boolean {
  return deployment !== undefined && ["ASLEEP", "CREATING", "STARTING"].includes(deployment.state);
}

async function observe(context: RepairContext, loop: LoopRole, isStartup: boolean): Promise<ObservedState> {
  const { appName } = context.writer;
  const { apps, runtime, options, clock } = context;
  const [installed, deployments] = await Promise.all([apps.get(appName), context.deployments.ofApp(appName)]);
  const role = roleIn(loop, deployments);
  const deployment = deployments[role];
  const desired = desiredFor(role, installed);
  const found = deployment && (await findContainer(runtime, options.instance, deployment));
  const path = desired && healthPlan(desired, options).path;
  const container = found && withKnown(found, deployment, path, runtime);
  const isSuccessorUp = deployment?.pausedAt !== undefined && (await isUp(deployments.next, context));
  const { current } = deployments;
  const isCreating = role === "next" && deployment?.state === "CREATING";
  const isPredecessorUp = isCreating && current !== undefined && !(await isPaused(current, context));
  const isAtRest = Object.values(deployments).every(({ state }) => state === "STOPPED");
  const dataRemovals = role === "current" && isAtRest ? await context.dataRemovals.ofApp(appName) : [];
  const snapshotWork = await context.snapshots.work(appName, installed?.next?.operationId);
  const networks = role === "current" && isAtRest ? await unusedNetworks(appName, installed, context) : [];
  const hasFiles = deployment !== undefined && container !== undefined && container.status !== "removing";
  const certificateEndsAt = hasFiles ? await context.identities.certificateEnd(deployment) : undefined;
  const comparison = role === "current" ? await comparisonOf(deployment, container, desired, context) : undefined;
  const running = { deployment, deployments, container, comparison, certificateEndsAt, isSuccessorUp, isPredecessorUp };
  const work = { dataRemovals, snapshotWork, unusedNetworks: networks };
  return { appName, role, installed, desired, ...running, ...work, isStartup, now: clock.now() };
}

/** In the other states the container is created from the desired configuration, or is removed. */
const comparedStates: ReadonlySet<Deployment["state"]> = new Set(["HEALTHY", "UNHEALTHY", "ASLEEP", "RESTARTING", "FAILED"]);

/**
 * Returns how the configuration of the current deployment relates to what the app of the same generation should have. A container that
 * another program has changed has another configuration, with a digest of its own.
 */
async function comparisonOf(
  deployment: Deployment | undefined,
  container: ContainerView | undefined,
  desired: DesiredApp | undefined,
  context: RepairContext,
): Promise<Comparison | undefined> {
  if (!deployment || !needsDeployment(desired) || !comparedStates.has(deployment.state)) return undefined;
  if (deployment.appId !== desired.id || deployment.generation !== desired.generation) return undefined;
  const compared = await compareConfiguration(deployment, desired, context);
  const isChanged = container !== undefined && container.fingerprint !== deployment.fingerprint;
  return isChanged && compared?.kind === "same" ? { kind: "different", digest: `changed:${container.fingerprint}` } : compared;
}

/**
 * Returns false only if the deployment has no container yet, if it was removed, or if it failed and was stopped: then no loop starts
 * it while the current one runs.
 */
async function isUp(next: Deployment | undefined, { runtime, options }: RepairContext): Promise<boolean> {
  if (!next || next.state === "PENDING" || next.state === "PULLING") return false;
  if (next.state !== "FAILED") return true;
  return (await findContainer(runtime, options.instance, next))?.status === "running";
}

/** A next deployment is started only after the previously replaced one was removed. */
function roleIn(loop: LoopRole, { retiring }: DeploymentsByRole): DeploymentRole {
  if (loop === "current") return "current";
  return retiring ? "retiring" : "next";
}

function repairsOf(observed: ObservedState): readonly Repair[] {
  if (observed.role === "retiring") return retiringRepairs;
  if (observed.role === "next") return isSwitched(observed) ? [] : nextRepairs;
  if (isSnapshotRunning(observed)) return snapshotRepairs;
  return awaitsSuccessor(observed) ? switchingRepairs : currentRepairs;
}

/** Returns whether the current deployment only waits until its successor takes over or was removed. */
function awaitsSuccessor(observed: ObservedState): boolean {
  return isSwitched(observed) || mustPause(observed) || observed.isSuccessorUp;
}

function rest(observed: ObservedState, context: RepairContext): Rest {
  const { options, health, clock, registry } = context;
  const { role, installed, desired, deployment, deployments, now } = observed;
  const pauses: number[] = [];
  if (role === "current" ? awaitsSuccessor(observed) : isSwitched(observed)) pauses.push(peerPauseMs);
  else if (!desired || !deployment || !isWanted(observed)) return { kind: "absent" };
  else pauses.push(deployment.state === "ASLEEP" ? asleepPauseMs : healthPlan(desired, options).intervalMs);
  const backOff = deployment ? backOffLeft(deployment, now) : 0;
  if (backOff > 0) pauses.push(backOff);
  const tryAgainMs = deployment && registry.millisecondsLeft(deployment);
  if (tryAgainMs !== undefined) pauses.push(tryAgainMs);
  const isHealthy = deployment?.state === "HEALTHY" && isChecked(desired, context);
  if (isHealthy) pauses.push(health.millisecondsLeft(clock.monotonic()));
  const lookAgainMs = Math.max(shortestPauseMs, Math.min(...pauses));
  const isSwitching = installed?.next !== undefined || Object.keys(deployments).length > 1;
  if (!isHealthy || isSwitching || backOff > 0) return { kind: "watching", lookAgainMs };
  return { kind: "watching", lookAgainMs, probeAgain: () => probeAgain(observed, context) };
}
