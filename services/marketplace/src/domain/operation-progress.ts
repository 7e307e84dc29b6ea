import type { OperationRecord } from "./app.ts";
import { deploymentReason, type Explained } from "./deployment-reason.ts";

/** What is read of a deployment. */
export interface ObservedDeployment extends Explained {
  /** Restarts after failures. */
  readonly restartCount: number;
}

/** The stages of a deployment, each with the progress of the operation when it begins. */
const stages: Readonly<Record<string, { readonly stage: string; readonly from: number; readonly to: number }>> = {
  PENDING: { stage: "deploy", from: 0.05, to: 0.05 },
  PULLING: { stage: "pull", from: 0.1, to: 0.6 },
  CREATING: { stage: "create", from: 0.6, to: 0.6 },
  STARTING: { stage: "start", from: 0.7, to: 0.7 },
  RESTARTING: { stage: "start", from: 0.7, to: 0.7 },
  HEALTHY: { stage: "switch", from: 0.9, to: 0.9 },
};

/** Returns the operation with the stage and the progress of its deployment, and after a failure with the reason why it is not done. */
export function operationDuring(operation: OperationRecord, deployment: ObservedDeployment): OperationRecord {
  const { state, progress = 0 } = deployment;
  const reason = retryReason(deployment);
  const explained = reason === undefined ? operation : { ...operation, reason };
  const known = stages[state];
  if (!known) return explained;
  const { stage, from, to } = known;
  return { ...explained, stage, progress: from + (to - from) * progress };
}

function retryReason(deployment: ObservedDeployment): string | undefined {
  if (!deployment.lastError) return undefined;
  const reason = deploymentReason(deployment, true);
  return reason === undefined ? undefined : `attempt ${deployment.restartCount + 1}: ${reason}`;
}
