import { type Clock, uuidv7 } from "@appserver/kernel";
import type { OperationRecord } from "../domain/app.ts";

export interface NewOperation extends Pick<OperationRecord, "kind" | "version" | "actor" | "stage"> {
  /** Default: a new id. */
  readonly id?: string;
  /** Default: now. */
  readonly startedAt?: Date;
}

/** Returns the record of a command that has not ended. */
export function newOperation(
  { clock }: { readonly clock: Clock },
  { kind, version, actor, stage, id = uuidv7(), startedAt = new Date(clock.now()) }: NewOperation,
): OperationRecord {
  const progress = { stage, progress: 0, done: false, error: undefined };
  return { id, kind, version, actor, ...progress, startedAt, finishedAt: undefined };
}
