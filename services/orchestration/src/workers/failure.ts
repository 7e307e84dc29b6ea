import type { Crash, DeploymentProblem, DeploymentState } from "@appserver/contracts/deployments";
import type { SettingVariables } from "@appserver/contracts/settings";
import { isAppError } from "@appserver/kernel";
import { platformSecrets } from "../domain/container-environment.ts";
import { type Deployment, type DeploymentChanges, imageOf } from "../domain/deployment.ts";
import type { DesiredApp } from "../domain/desired-app.ts";
import { keptOutput, lastOutput } from "../domain/last-output.ts";
import { maskSecrets } from "../domain/mask-secrets.ts";
import { decideRestart } from "../domain/restart-policy.ts";
import { ContainerError, type ContainerView } from "../ports.ts";
import { lastLines } from "./last-lines.ts";
import { moveTo, type RepairContext } from "./repair-context.ts";

/** More lines than the stack trace of an uncaught error has. */
const logLines = 100;

interface Verdict {
  readonly problem: DeploymentProblem;
  /** True if a retry cannot succeed until a user acts. */
  readonly final: boolean;
}

/** How often a missing image is looked for (docs/interface/containers.md#pull). */
const missingImageRetryMs = 180_000;

/** Sets FAILED permanently, until a new generation or an explicit restart. */
export async function failPermanently(
  context: RepairContext,
  deployment: Deployment,
  problem: DeploymentProblem,
  changes: Pick<DeploymentChanges, "lastCrash"> = {},
): Promise<void> {
  const notBefore = missesImage(deployment, problem) ? nextLookForImage(context) : undefined;
  await moveTo(context, deployment, "FAILED", { ...changes, final: true, lastError: problem, notBefore });
}

/** Returns whether a new deployment follows automatically when the missing image is available. */
export function missesImage({ role }: Deployment, problem: DeploymentProblem | undefined): boolean {
  return role === "current" && problem?.code === "NOT_FOUND";
}

export function nextLookForImage({ clock }: RepairContext): Date {
  return new Date(clock.now() + missingImageRetryMs);
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
    notBefore: backOff === "wait" ? new Date(now + decision.delayMs) : undefined,
    restarts: decision.restarts,
    restartCount: deployment.restartCount + 1,
  });
}

/**
 * Handles a failed pull, create or start: moves to FAILED, or to PENDING for a retry. Rethrows errors that are not caused by
 * the app: an unreachable engine, a lost lease, or a platform bug.
 */
export async function settleFailure(context: RepairContext, deployment: Deployment, error: unknown): Promise<void> {
  context.signal.throwIfAborted();
  const { problem, final } = judge(error, imageOf(deployment));
  context.logger.warn({ app: deployment.appName, err: error }, "orchestration: deployment step failed");
  if (final) await failPermanently(context, deployment, problem);
  else await tryAgain(context, deployment, "PENDING", problem);
}

/** Returns why the app ended, in one sentence, and what it printed last, both without its secrets. */
export async function crashOf(
  context: RepairContext,
  desired: DesiredApp | undefined,
  { name, exitCode }: ContainerView,
): Promise<{ readonly problem: DeploymentProblem; readonly crash: Crash }> {
  const lines = maskSecrets(await lastLines(context.runtime, name, logLines), await secretsOf(desired, context));
  const line = lastOutput(lines);
  const code = exitCode === undefined ? "" : ` with code ${exitCode}`;
  const message = `the app exited${code}${line === undefined ? "" : `: ${JSON.stringify(line)}`}`;
  return {
    problem: { code: "UPSTREAM_ERROR", message },
    crash: { at: new Date(context.clock.now()), exitCode, output: keptOutput(lines) },
  };
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

function judge(error: unknown, image: string): Verdict {
  if (isAppError(error)) return { problem: { code: error.code, message: error.message }, final: true };
  if (!(error instanceof ContainerError)) throw error;
  switch (error.reason) {
    case "unreachable":
      throw error;
    // Texts of docs/interface/errors.md#orchestrator-errors.
    case "image_not_found":
      return { problem: { code: "NOT_FOUND", message: `repository not found: ${image}` }, final: true };
    case "pull_timeout":
      return { problem: { code: "UPSTREAM_TIMEOUT", message: `timeout pulling image: ${image}` }, final: true };
    case "no_free_network":
      return { problem: { code: "SERVICE_UNAVAILABLE", message: error.message }, final: false };
    case "name_conflict":
      return { problem: { code: "CONFLICT", message: error.message }, final: true };
    case "start_failed":
      return { problem: { code: "UPSTREAM_ERROR", message: error.message }, final: true };
    default:
      return { problem: { code: "UPSTREAM_ERROR", message: error.message }, final: false };
  }
}
