import type { DeploymentProblem, FaultKind } from "@appserver/contracts/deployments";
import { type AppError, isAppError } from "@appserver/kernel";
import type { ContainerErrorReason } from "@appserver/kernel/ports";
import { ContainerError } from "../ports.ts";

/** What follows from a failed step of a deployment (docs/interface/containers.md#failures). */
export type Verdict =
  /** A fault of the infrastructure: the step is tried again until it succeeds, and the app is not blamed. */
  | {
      readonly kind: "wait";
      readonly fault: FaultKind;
      readonly problem: DeploymentProblem;
      /** Whether a next deployment waits as well. Otherwise it has failed, because the current one still serves. */
      readonly nextWaits: boolean;
    }
  /** A retry cannot succeed until the app or its configuration changes. */
  | { readonly kind: "fail"; readonly problem: DeploymentProblem };

type Judge = (message: string, image: string) => Verdict | undefined;

/** Undefined: the loop repeats the step, without a change of the deployment. */
const verdicts: Readonly<Record<ContainerErrorReason, Judge>> = {
  // Nothing can be said of a deployment without its engine.
  unreachable: () => undefined,
  // Texts of docs/interface/errors.md#orchestrator-errors.
  image_not_found: (_, image) => wait("image_missing", { code: "NOT_FOUND", message: `repository not found: ${image}` }),
  pull_timeout: (_, image) => pullFault("image_unavailable", "UPSTREAM_TIMEOUT", `timeout pulling image: ${image}`),
  pull_failed: (message) => pullFault("image_unavailable", "UPSTREAM_ERROR", message),
  pull_limited: (message) => pullFault("image_limited", "UPSTREAM_ERROR", message),
  no_free_network: (message) => wait("network", { code: "SERVICE_UNAVAILABLE", message }),
  name_conflict: (message) => wait("name_in_use", { code: "CONFLICT", message }),
  not_found: (message) => wait("engine", { code: "UPSTREAM_ERROR", message }),
  other: (message) => wait("engine", { code: "UPSTREAM_ERROR", message }),
  start_failed: (message) => ({ kind: "fail", problem: { code: "UPSTREAM_ERROR", message } }),
  refused: (message) => ({ kind: "fail", problem: { code: "UPSTREAM_ERROR", message } }),
};

/** What the app or its configuration is the cause of. Every other error of the platform itself passes. */
const codesOfTheApp: ReadonlySet<AppError["code"]> = new Set<AppError["code"]>(["INVALID_REQUEST", "INVALID_STATE"]);

/**
 * Returns what follows from the error of a pull, create or start. Undefined for what is not about this deployment: an unreachable engine
 * or database, a lost lease, or a bug of the platform.
 */
export function judgeFailure(error: unknown, image: string): Verdict | undefined {
  if (error instanceof ContainerError) return verdicts[error.reason](error.message, image);
  if (!isAppError(error) || !codesOfTheApp.has(error.code)) return undefined;
  return { kind: "fail", problem: { code: error.code, message: error.message } };
}

function wait(fault: FaultKind, problem: DeploymentProblem): Verdict {
  return { kind: "wait", fault, problem, nextWaits: false };
}

function pullFault(fault: FaultKind, code: DeploymentProblem["code"], message: string): Verdict {
  return { kind: "wait", fault, problem: { code, message }, nextWaits: true };
}
