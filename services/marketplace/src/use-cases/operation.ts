import { type Clock, type Initiator, isAppError, type Problem, uuidv7 } from "@appserver/kernel";
import type { AppRecord, OperationRecord } from "../domain/app.ts";
import type { MarketplaceContext } from "./context.ts";
import { problemOf } from "./problem-of.ts";

/** What every command returns: the app as it is then, and its own operation, which may still run. */
export interface CommandResult {
  readonly app: AppRecord;
  readonly operation: OperationRecord;
}

export interface NewOperation extends Initiator, Pick<OperationRecord, "kind" | "stage"> {
  /** Default: a new id. */
  readonly id?: string;
  /** Default: now. */
  readonly startedAt?: Date;
}

/** Returns the record of a command that has not ended. `version`: the one that it works on. */
export function newOperation(
  { clock }: { readonly clock: Clock },
  { name, version }: Pick<AppRecord, "name" | "version">,
  { kind, actor, client, stage, id = uuidv7(), startedAt = new Date(clock.now()) }: NewOperation,
): OperationRecord {
  const progress = { stage, progress: 0, done: false, error: undefined };
  return { id, appName: name, kind, version, actor, client, ...progress, startedAt, finishedAt: undefined };
}

/** Returns the record of a command that has ended: with an error, or with success. */
export function finishOperation(
  { clock }: { readonly clock: Clock },
  operation: OperationRecord,
  error?: Problem,
): OperationRecord {
  const stage = error ? "failed" : "done";
  return { ...operation, stage, progress: 1, done: true, error, finishedAt: new Date(clock.now()) };
}

/** Returns the record of a command that is one transaction. */
export function endedOperation(
  context: { readonly clock: Clock },
  app: Pick<AppRecord, "name" | "version">,
  command: Omit<NewOperation, "stage">,
): OperationRecord {
  return finishOperation(context, newOperation(context, app, { ...command, stage: "done" }));
}

/**
 * Runs the request that a stored operation consists of, and stores its end. After an unexpected error, for example of the database,
 * a worker finishes the operation.
 */
export async function runRequest(
  context: MarketplaceContext,
  operation: OperationRecord,
  request: () => Promise<void>,
): Promise<OperationRecord> {
  try {
    await request();
  } catch (error) {
    if (isAppError(error)) await context.store.updateOperation(finishOperation(context, operation, problemOf(error)));
    throw error;
  }
  const finished = finishOperation(context, operation);
  await context.store.updateOperation(finished);
  return finished;
}
