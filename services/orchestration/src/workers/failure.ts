import type { Crash, DeploymentProblem, DeploymentState } from "@appserver/contracts/deployments";
import type { SettingVariables } from "@appserver/contracts/settings";
import { isAppError } from "@appserver/kernel";
import { platformSecrets } from "../domain/container-environment.ts";
import { type Deployment, type DeploymentChanges, imageOf } from "../domain/deployment.ts";
import type { DesiredApp } from "../domain/desired-app.ts";
import { faultAfter, faultDelayMs } from "../domain/fault.ts";
import { keptOutput, lastOutput, placeOfError } from "../domain/last-output.ts";
import { maskSecrets } from "../domain/mask-secrets.ts";
import { decideRestart } from "../domain/restart-policy.ts";
import type { ContainerView, InstanceView } from "../ports.ts";
import { judgeFailure } from "./judge-failure.ts";
import { lastLines } from "./last-lines.ts";
import { moveTo, type RepairContext } from "./repair-context.ts";

/** More lines than the stack trace of an uncaught error has. */
const logLines = 100;

/** Sets FAILED permanently, until a new generation or a restart that a user requests. */
export async function failPermanently(
  context: RepairContext,
  deployment: Deployment,
  problem: DeploymentProblem,
  changes: Pick<DeploymentChanges, "lastCrash" | "restarts" | "restartCount" | "instanceRestarts"> = {},
): Promise<void> {
  await moveTo(context, deployment, "FAILED", { ...changes, final: true, lastError: problem, fault: undefined });
}

/**
 * Moves to `state` for a retry after the back-off of the restart policy, or gives up if the restarts are exhausted. A next
 * deployment has one attempt, because the current one still serves. `backOff` is `waited` if it is already over.
 */
export async function tryAgain(
  context: RepairContext,
  deployment: Deployment,
  state: DeploymentState,
  problem: DeploymentProblem,
  { backOff = "wait", ...changes }: { readonly backOff?: "wait" | "waited" } & Pick<DeploymentChanges, "lastCrash"> = {},
): Promise<void> {
  if (deployment.role === "next") {
    await failPermanently(context, deployment, problem, changes);
    return;
  }
  const now = context.clock.now();
  const decision = decideRestart(deployment, now, context.options);
  if (decision.kind === "exhausted") {
    await failPermanently(context, deployment, { ...problem, message: `${problem.message}; ${decision.message}` }, changes);
    return;
  }
  context.metrics.restarts.bind({ app: deployment.appName }).add();
  await moveTo(context, deployment, state, {
    ...changes,
    lastError: problem,
    fault: undefined,
    notBefore: backOff === "wait" ? new Date(now + decision.delayMs) : undefined,
    restarts: decision.restarts,
    restartCount: deployment.restartCount + 1,
  });
}

/**
 * Handles a failed pull, create or start: moves to FAILED for what the app is the cause of, or to PENDING until the infrastructure works
 * again. Rethrows errors that are not about this deployment.
 */
export async function settleFailure(context: RepairContext, deployment: Deployment, error: unknown): Promise<void> {
  context.signal.throwIfAborted();
  const verdict = judgeFailure(error, imageOf(deployment));
  if (!verdict) throw error;
  context.logger.warn({ app: deployment.appName, err: error }, "orchestration: deployment step failed");
  const { problem } = verdict;
  if (verdict.kind === "fail" || (deployment.role === "next" && !verdict.nextWaits)) {
    await failPermanently(context, deployment, problem);
    return;
  }
  const now = context.clock.now();
  const fault = faultAfter(deployment.fault, { kind: verdict.fault, message: problem.message }, now);
  const notBefore = new Date(now + faultDelayMs(fault));
  await moveTo(context, deployment, "PENDING", { lastError: problem, fault, notBefore });
}

/**
 * Returns why the app ended, in one sentence, and what it printed last, both without its secrets. `instance`: the one that the engine
 * has restarted. Undefined: the container ended.
 */
export async function crashOf(
  context: RepairContext,
  desired: DesiredApp | undefined,
  container: ContainerView,
  instance?: InstanceView,
): Promise<{ readonly problem: DeploymentProblem; readonly crash: Crash }> {
  const { at, exitCode, cause } = instance
    ? (instance.lastEnd ?? {})
    : { at: undefined, exitCode: container.exitCode, cause: undefined };
  const lines = await outputOf(context, desired, container.name, instance);
  const line = lastOutput(lines);
  const code = exitCode === undefined ? "" : ` with code ${exitCode}`;
  const ended = cause === "memory" ? "used more memory than its limit, and was ended" : "exited";
  const place = placeOfError(lines);
  const said = line === undefined ? "" : `: ${JSON.stringify(line)}${place === undefined ? "" : ` at ${place}`}`;
  const message = `the app ${ended}${code}${said}`;
  return {
    problem: { code: "UPSTREAM_ERROR", message },
    crash: { at: at ?? new Date(context.clock.now()), exitCode, output: keptOutput(lines) },
  };
}

/** Returns the last lines that the container printed, or an instance before its restart, without the secrets of the app. */
export async function outputOf(
  context: RepairContext,
  desired: DesiredApp | undefined,
  container: string,
  instance?: InstanceView,
): Promise<readonly string[]> {
  const ended = instance && { instance: instance.id };
  return maskSecrets(await lastLines(context.runtime, container, logLines, ended), await secretsOf(desired, context));
}

/** Returns the secrets in the environment of the app that the platform knows: sensitive settings, and passwords of its servers. */
async function secretsOf(desired: DesiredApp | undefined, { settings, platform }: RepairContext): Promise<readonly string[]> {
  const sensitive = desired?.settingVariables.filter((definition) => definition.sensitive) ?? [];
  const values = desired && sensitive.length > 0 ? await readable(settings.read(desired.id, sensitive)) : {};
  return [...Object.values(values), ...platformSecrets(platform)];
}

/** Secrets that cannot be decrypted are in no container. */
async function readable(reading: ReturnType<SettingVariables["read"]>): ReturnType<SettingVariables["read"]> {
  try {
    return await reading;
  } catch (error) {
    if (isAppError(error, "INVALID_STATE")) return {};
    throw error;
  }
}
