import { type DeploymentRecord, type DeploymentStatus, needsPerson } from "@appserver/contracts/deployments";
import { currentTraceparent, type IsolatedRows, isAppError, type Problem, runInTrace } from "@appserver/kernel";
import { type AppRecord, addressOf, isSameAddress, noAddress, type SwitchTarget } from "../domain/app.ts";
import { appEvent } from "../domain/app-events.ts";
import { canTransition, shouldRun } from "../domain/app-state.ts";
import { holdsRequests } from "../domain/releases.ts";
import type { MarketplaceContext } from "./context.ts";
import { describeCurrent, describeTarget } from "./describe/describe-release.ts";
import { isolatedApps } from "./isolated-apps.ts";
import { onCurrentApp } from "./on-current-app.ts";
import { finishOperation } from "./operation.ts";
import { completeSwitch, revertSwitch } from "./switch/index.ts";
import { type TransitionOptions, transition } from "./transition.ts";
import { upgradeAutomatically } from "./upgrade-automatically.ts";

/**
 * Updates an app's state from its stored deployment. Events only report that something changed. A late, duplicate or forged
 * event has no effect, because the record is read again and stale generations are ignored.
 */
export function applyDeployment(context: MarketplaceContext, appName: string): Promise<void> {
  return onCurrentApp((attempt) => applyOnce(context, appName, attempt === 1));
}

/** What {@link applyDeployments} and {@link applyResuming} use in all their turns. */
export function deployedApps(context: MarketplaceContext): IsolatedRows<string> {
  return isolatedApps(context, "applying a deployment");
}

/** Applies the deployments that differ from their apps, and those of apps that are switching. This covers missed events. */
export async function applyDeployments(context: MarketplaceContext, isolated = deployedApps(context)): Promise<void> {
  const apps = context.apps.all().map(({ app }) => app);
  context.unstarted.keep(new Set(apps.flatMap(({ target }) => target?.operationId ?? [])));
  const statuses = new Map(
    (await context.deployments.statuses()).map((status) => [keyOf(status.appId, status.generation), status]),
  );
  const differs = (app: AppRecord): boolean => {
    const status = statuses.get(keyOf(app.id, app.generation));
    return status !== undefined && !isApplied(app, status);
  };
  await applyEach(
    context,
    isolated,
    apps.filter((app) => app.enabled && shouldRun(app) && (app.target !== undefined || differs(app))),
  );
}

function keyOf(appId: string, generation: number): string {
  return `${appId} ${generation}`;
}

/** Returns whether the state of an app, which is not switching, follows from the deployment. False in case of doubt. */
function isApplied(app: AppRecord, status: DeploymentStatus): boolean {
  const { state, final, imageDigest = app.imageDigest } = status;
  if (isAsleep(app, state)) return app.state === "RUNNING" && app.asleepSince !== undefined;
  if (state === "HEALTHY") {
    const isReached = isSameAddress(app, addressOf(status)) && app.imageDigest === imageDigest;
    return app.state === "RUNNING" && app.health === "HEALTHY" && app.asleepSince === undefined && isReached;
  }
  return app.state === "FAILED" || (app.state === "UNHEALTHY" && !(state === "FAILED" && final));
}

/**
 * Applies the deployments of apps whose requests wait for them. More often than {@link applyDeployments}, because the wait must
 * also end without an event.
 */
export async function applyResuming(context: MarketplaceContext, isolated = deployedApps(context)): Promise<void> {
  await applyEach(
    context,
    isolated,
    context.apps.all().flatMap(({ app }) => (app.requestsBufferedSince ? app : [])),
  );
}

async function applyEach(
  context: MarketplaceContext,
  isolated: IsolatedRows<string>,
  apps: readonly AppRecord[],
): Promise<void> {
  const names = apps.map(({ name }) => name);
  await isolated.run(names, async (name) => {
    try {
      await applyDeployment(context, name);
    } catch (error) {
      // A command holds the lock of this app. The next turn sees its result.
      if (!isAppError(error, "CONFLICT")) throw error;
      context.logger.debug({ err: error, app: name }, "marketplace: could not apply a deployment; retrying");
    }
  });
}

/** `describes`: whether the description of a release that begins to serve is read, once in all attempts. */
async function applyOnce(context: MarketplaceContext, appName: string, describes: boolean): Promise<void> {
  const app = await context.store.findByName(appName);
  // The container of a disabled app is stopped. This does not change the app's state.
  if (!app?.enabled || !shouldRun(app)) return;
  if (app.target && describes) await describeTarget(context, app, app.target);
  if (app.target && (await applyTarget(context, app.name, app.target))) return;
  const deployment = await context.deployments.find(app.id, app.generation);
  if (await holdForPause(context, app, deployment)) return;
  const resumed = await resume(context, app, deployment);
  // While an app is being replaced, its current deployment is stopped as well.
  if (!resumed || resumed.target?.strategy === "replace") return;
  if (!deployment || deployment.generation !== app.generation) return;
  if (deployment.state === "HEALTHY") await becomeHealthy(context, resumed, deployment, describes);
  else if (isAsleep(resumed, deployment.state)) await becomeAsleep(context, resumed);
  else await becomeUnhealthy(context, resumed, deployment);
}

/**
 * Lets requests wait while the orchestrator has stopped the current deployment for a snapshot. Returns whether they begin to. They wait
 * once for each pause, however long it is.
 */
async function holdForPause(
  context: MarketplaceContext,
  app: AppRecord,
  deployment: DeploymentRecord | undefined,
): Promise<boolean> {
  const pausedAt = deployment?.pausedAt;
  if (!pausedAt || app.target?.strategy === "replace" || app.requestsBufferedSince) return false;
  if (context.clock.now() - pausedAt.getTime() >= resumeWithinMs) return false;
  await saveRouting(context, app, { requestsBufferedSince: pausedAt });
  return true;
}

/** Longer than this, no request waits for the deployment that was stopped (docs/interface/proxy.md#replaced-apps). */
const resumeWithinMs = 30_000;

/**
 * Ends the wait of requests once the deployment that was stopped for another release is healthy again, has failed permanently, or takes too
 * long. Returns the app; undefined while requests still wait. The stop was planned, so the app does not become UNHEALTHY.
 */
async function resume(
  context: MarketplaceContext,
  app: AppRecord,
  deployment: DeploymentRecord | undefined,
): Promise<AppRecord | undefined> {
  if (!app.requestsBufferedSince || app.target?.holdsRequests) return app;
  const isBack = (deployment?.state === "HEALTHY" || deployment?.state === "ASLEEP") && deployment.pausedAt === undefined;
  const hasFailed = deployment?.state === "FAILED" && deployment.final;
  const isLate = context.clock.now() - app.requestsBufferedSince.getTime() >= resumeWithinMs;
  if (!isBack && !hasFailed && !isLate) return undefined;
  const address = isBack ? addressOf(deployment) : {};
  return saveRouting(context, app, { ...address, requestsBufferedSince: undefined });
}

/** Stores a change of where requests to the app go, with the event that makes every replica read it. */
function saveRouting(context: MarketplaceContext, app: AppRecord, changes: Partial<AppRecord>): Promise<AppRecord> {
  const at = new Date(context.clock.now());
  const next: AppRecord = { ...app, ...changes, updatedAt: at };
  const event = appEvent("app.routing_changed", next, at, undefined, { isHeld: holdsRequests(next) });
  return context.store.save({ app: next, expectedRowVersion: app.rowVersion, events: [event] });
}

/**
 * Ends a switch if the deployment of the target is healthy, or has failed permanently. Returns whether the switch ended. If the app upgrades
 * automatically, a release that was registered during the switch is then started. If this process dies in between, another one
 * starts it (`workers/resume-operations.ts`).
 */
async function applyTarget(context: MarketplaceContext, name: string, target: SwitchTarget): Promise<boolean> {
  const end = () => context.lock.run(name, () => onCurrentApp(() => endSwitch(context, name, target)), "platform");
  const hasEnded = await runInTrace(target.traceparent ?? currentTraceparent(), end);
  if (!hasEnded) return false;
  await upgradeAutomatically(context, name);
  return true;
}

async function endSwitch(context: MarketplaceContext, name: string, target: SwitchTarget): Promise<boolean> {
  const live = await context.apps.current(name);
  // Another process ended it, or a command did.
  if (live?.app.target?.operationId !== target.operationId) return false;
  const { app } = live;
  const deployment = await context.deployments.find(app.id, target.generation);
  const isStarted =
    deployment?.generation === target.generation && (deployment.operationId ?? target.operationId) === target.operationId;
  if (!isStarted) return revertUnstarted(context, app, target);
  if (deployment.state === "HEALTHY") {
    await completeSwitch(context, live, deployment);
    return true;
  }
  if (deployment.state !== "FAILED" || !deployment.final) {
    if (await revertAbandoned(context, app, target, deployment)) return true;
    await holdRequests(context, app, live.app.target, deployment);
    return false;
  }
  const { code, message } = deployment.lastError ?? { code: "UPSTREAM_ERROR", message: "the new deployment failed" };
  await revertSwitch(context, app, { code, message: `${target.version} did not start: ${message}` }, platform);
  return true;
}

/** What reverts a switch by itself. */
const platform = { actor: undefined };

/** Of which at most 60 s pass until every server has reported that it no longer uses an earlier deployment. */
const startWithinMs = 180_000;

/**
 * Longer than every step of an orchestrator with usual limits, which the server does not know. The progress of a pull also updates
 * the record, so that a slow pull is not cut.
 */
const abandonedMs = 3_600_000;

/** Ends a switch whose orchestrator no longer works on the deployment (docs/interface/states.md#switch). Returns whether it ended. */
async function revertAbandoned(
  context: MarketplaceContext,
  app: AppRecord,
  target: SwitchTarget,
  { state, updatedAt }: DeploymentRecord,
): Promise<boolean> {
  if (context.clock.now() - updatedAt.getTime() < abandonedMs) return false;
  const message = `${target.version} did not start: its deployment has been ${state} without progress for ${abandonedMs / 60_000} min`;
  await revertSwitch(context, app, { code: "SERVICE_UNAVAILABLE", message }, platform);
  return true;
}

/**
 * Ends a switch that no orchestrator started in time (docs/interface/states.md#switch). Once it is started,
 * {@link revertAbandoned} limits it. Returns whether the switch ended.
 */
async function revertUnstarted(context: MarketplaceContext, app: AppRecord, target: SwitchTarget): Promise<boolean> {
  // Earlier deployments of the app may still drain, and only then another one begins.
  const limitMs = startWithinMs + context.policy.drainTimeoutMs;
  if (context.unstarted.seenForMs(target.operationId, context.clock.monotonic()) < limitMs) return false;
  const message = `${target.version} did not start: no orchestrator took up the deployment within ${limitMs / 1_000} s`;
  await revertSwitch(context, app, { code: "SERVICE_UNAVAILABLE", message }, platform);
  return true;
}

/** Lets requests wait for a release that replaces the running one, once its image is there: a pull may take minutes. */
async function holdRequests(
  context: MarketplaceContext,
  app: AppRecord,
  target: SwitchTarget,
  { state }: DeploymentRecord,
): Promise<void> {
  if (target.strategy !== "replace" || target.holdsRequests || !readyStates.has(state)) return;
  await saveRouting(context, app, { target: { ...target, holdsRequests: true } });
}

const readyStates: ReadonlySet<string> = new Set(["CREATING", "STARTING"]);

async function becomeHealthy(
  context: MarketplaceContext,
  app: AppRecord,
  deployment: DeploymentRecord,
  describes: boolean,
): Promise<void> {
  const { imageDigest = app.imageDigest } = deployment;
  const address = addressOf(deployment);
  const fields = { ...address, imageDigest, health: "HEALTHY", asleepSince: undefined, lastError: undefined } as const;
  if (app.state === "FAILED") {
    if (!(await failedPermanently(context, app))) return;
    if (describes) await describeCurrent(context, { ...app, ...address });
    await transition(context, app, "healed", { reason: "deployment healthy", fields });
  } else if (canTransition(app.state, "healthy")) {
    if (describes) await describeCurrent(context, { ...app, ...address });
    const reason = app.state === "UNHEALTHY" ? "recovered" : "deployment healthy";
    await transition(context, app, "healthy", { reason, fields, ...(await endOfInstall(context, app, undefined)) });
  } else if (app.asleepSince || !isSameAddress(app, address) || app.imageDigest !== imageDigest || app.health !== "HEALTHY") {
    await saveRouting(context, app, fields);
  }
}

/** Returns whether the deployment is asleep, or is being woken: while that works, the app stays RUNNING. */
function isAsleep({ asleepSince }: AppRecord, state: DeploymentRecord["state"]): boolean {
  return state === "ASLEEP" || (asleepSince !== undefined && (state === "CREATING" || state === "STARTING"));
}

/** Lets requests wait, and start the app (docs/interface/sleep.md). It stays RUNNING. */
async function becomeAsleep(context: MarketplaceContext, app: AppRecord): Promise<void> {
  if (app.asleepSince || app.state !== "RUNNING") return;
  await saveRouting(context, app, { ...noAddress, asleepSince: new Date(context.clock.now()) });
}

/** Returns whether the app failed permanently while it was installed. Otherwise its last installation failed, and its permissions are revoked. */
async function failedPermanently({ store }: MarketplaceContext, { id }: AppRecord): Promise<boolean> {
  return (await store.history(id, 1))[0]?.from !== "INSTALLING";
}

async function becomeUnhealthy(context: MarketplaceContext, app: AppRecord, deployment: DeploymentRecord): Promise<void> {
  const lastError = deployment.lastError ?? app.lastError;
  const reason = deployment.lastError?.message ?? `deployment is ${deployment.state}`;
  const gone = deployment.state !== "UNHEALTHY" && deployment.state !== "STARTING";
  const fields = { health: "UNHEALTHY", lastError, asleepSince: undefined, ...(gone ? noAddress : {}) } as const;
  let current = app;
  if (canTransition(current.state, "unhealthy")) current = await transition(context, current, "unhealthy", { reason, fields });
  else current = await explain(context, current, deployment);
  if (deployment.state !== "FAILED" || !deployment.final) return;
  const end = await endOfInstall(context, current, lastError ?? { code: "UPSTREAM_ERROR", message: reason });
  if (canTransition(current.state, "exhausted")) await transition(context, current, "exhausted", { reason, fields, ...end });
  else if (canTransition(current.state, "failed")) await transition(context, current, "failed", { reason, fields, ...end });
}

/** Returns the finished installation of the app, if it waited for the deployment. */
async function endOfInstall(
  context: MarketplaceContext,
  app: AppRecord,
  problem: Problem | undefined,
): Promise<Pick<TransitionOptions, "operation">> {
  const unfinished = await context.store.unfinished(app.id);
  const installation = unfinished.find(({ kind }) => kind === "install");
  return installation ? { operation: finishOperation(context, installation, problem) } : {};
}

/**
 * Stores why an app does not run. An installation that waits for something that a person must do ends with this reason; the orchestrator
 * still tries again.
 */
async function explain(
  context: MarketplaceContext,
  app: AppRecord,
  { lastError, fault }: DeploymentRecord,
): Promise<AppRecord> {
  if (!lastError) return app;
  const end = fault && needsPerson(fault.kind) ? await endOfInstall(context, app, lastError) : {};
  if (app.lastError?.message === lastError.message && !end.operation) return app;
  const next: AppRecord = { ...app, health: "UNHEALTHY", lastError, updatedAt: new Date(context.clock.now()) };
  return context.store.save({
    app: next,
    expectedRowVersion: app.rowVersion,
    events: [],
    ...(end.operation ? { operation: end.operation } : {}),
  });
}
