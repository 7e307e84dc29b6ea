import type { DeploymentProblem } from "@appserver/contracts/deployments";
import { containerName, imageReference, imageReferenceProblem, imageRepository } from "@appserver/contracts/names";
import { isAppError, uuidv7 } from "@appserver/kernel";
import type { Deployment } from "../../domain/deployment.ts";
import type { DesiredApp } from "../../domain/desired-app.ts";
import { refuseAmbiguousName } from "../../domain/upstream-variable.ts";
import { failPermanently } from "../failure.ts";
import { needsDeployment, type ObservedState } from "../observed-state.ts";
import type { Repair, RepairContext } from "../repair-context.ts";

/** Stores a new deployment if an installed app has none or its last one ended (docs/interface/containers.md#reconcile-loop). */
export const beginDeployment: Repair = {
  name: "begin-deployment",
  applies: (observed) => {
    const { role, desired, deployment, deployments } = observed;
    if (!needsDeployment(desired)) return false;
    // The switch is over, and the desired state is a stale read.
    if (role === "next" && deployments.current && deployments.current.generation >= desired.generation) return false;
    return !deployment || deployment.state === "STOPPED" || (deployment.state === "FAILED" && !deployment.final);
  },
  apply: begin,
};

/** Stores a new deployment of what the role should run. */
export async function begin(observed: ObservedState, context: RepairContext): Promise<void> {
  const { desired, role } = observed;
  if (!desired) return;
  const checked = check(desired, await context.apps.all(), context);
  const deployment = freshDeployment(desired, checked.image, observed, context);
  await context.deployments.begin(context.writer, deployment);
  context.logger.info(
    { app: desired.name, deployment: deployment.id, generation: desired.generation, role },
    "orchestration: deployment started",
  );
  if (checked.problem) await failPermanently(context, deployment, checked.problem);
}

interface Checked {
  /** With the tag, unless the manifest names a digest. */
  readonly image: string;
  readonly problem?: DeploymentProblem;
}

/** Returns the image, or the reason for a refusal. A refusal is recorded like any other failure, so that users see it. */
function check(desired: DesiredApp, installed: readonly DesiredApp[], { options }: RepairContext): Checked {
  try {
    refuseAmbiguousName(desired, installed);
  } catch (error) {
    if (!isAppError(error)) throw error;
    return refused({ code: error.code, message: error.message });
  }
  const stage = desired.imageStage ?? options.defaultImageStage;
  const digest = desired.signedDigest;
  const parts = { registry: options.registry, appName: desired.imageOwner, stage, digest };
  const problem = imageReferenceProblem(parts);
  if (problem !== undefined) return refused({ code: "INVALID_REQUEST", message: problem });
  return { image: digest === undefined ? imageReference(parts) : imageRepository(parts) };
}

function refused(problem: DeploymentProblem): Checked {
  return { image: "", problem };
}

function freshDeployment(
  desired: DesiredApp,
  image: string,
  observed: ObservedState,
  { clock, runtime }: RepairContext,
): Deployment {
  const now = new Date(clock.now());
  // The successor of a failed deployment keeps its back-off and its count. The successor of a stopped one starts with none.
  const previous = observed.deployment;
  const failed = previous?.state === "FAILED" && !previous.final ? previous : undefined;
  const resolved = failed?.generation === desired.generation && failed.image === image ? failed.imageDigest : undefined;
  return {
    id: uuidv7(now.getTime()),
    appId: desired.id,
    appName: desired.name,
    appVersion: desired.version,
    generation: desired.generation,
    manifestDigest: desired.manifestDigest,
    operationId: observed.role === "next" ? observed.installed?.next?.operationId : undefined,
    role: observed.role,
    state: "PENDING",
    healthStatus: "UNKNOWN",
    final: false,
    driver: runtime.driver,
    image,
    imageDigest: desired.signedDigest ?? desired.imageDigest ?? resolved,
    containerName: nameFor(desired, observed),
    lastError: failed?.lastError,
    lastCrash: failed?.lastCrash,
    restartCount: failed?.restartCount ?? 0,
    restarts: failed?.restarts ?? [],
    notBefore: failed?.notBefore,
    createdAt: now,
    updatedAt: now,
  };
}

/** Returns `app-<name>`, unless another deployment of the app has that name, or the generation already has a name. */
function nameFor({ name, generation }: DesiredApp, { role, deployment, deployments }: ObservedState): string {
  if (deployment?.generation === generation) return deployment.containerName;
  const isTaken = role === "next" || deployments.retiring?.containerName === containerName(name);
  return containerName(name, isTaken ? generation : undefined);
}
