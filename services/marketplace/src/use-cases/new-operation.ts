import { type Clock, uuidv7 } from "@appserver/kernel";
import type { AppRecord, OperationKind, OperationRecord } from "../domain/app.ts";

export interface NewOperation {
  readonly kind: OperationKind;
  readonly app: Pick<AppRecord, "version">;
  readonly actor: string | undefined;
  readonly stage: string;
}

/** Returns the record of a command that begins now. */
export function newOperation({ clock }: { readonly clock: Clock }, { kind, app, actor, stage }: NewOperation): OperationRecord {
  const startedAt = new Date(clock.now());
  const base = { id: uuidv7(), kind, version: app.version, actor, stage, progress: 0, done: false };
  return { ...base, error: undefined, startedAt, finishedAt: undefined };
}
