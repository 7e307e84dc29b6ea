import type { OperationRecord } from "./app.ts";

/** What is read of a deployment. */
interface DeploymentProgress {
  readonly state: string;
  /** Of the pull: 0..1 if the engine reports sizes. */
  readonly progress?: number | undefined;
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

/** Returns the operation with the stage and the progress of its deployment. */
export function operationDuring(operation: OperationRecord, { state, progress = 0 }: DeploymentProgress): OperationRecord {
  const known = stages[state];
  if (!known) return operation;
  const { stage, from, to } = known;
  return { ...operation, stage, progress: from + (to - from) * progress };
}
