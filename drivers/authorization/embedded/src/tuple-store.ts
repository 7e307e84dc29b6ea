import { AppError } from "@appserver/kernel";
import { type ChannelSubscription, DatabaseError } from "@appserver/kernel/ports";
import type { ConditionalTuple } from "./relationship.ts";

export interface TupleFilter {
  readonly user?: string;
  readonly relation?: string;
  /** `type:id`, or `type:` for every object of the type. */
  readonly object?: string;
}

export interface TupleChange {
  readonly deleted: boolean;
  readonly tuple: ConditionalTuple;
}

/** Stores tuples. Every committed change has a higher revision than all before it. */
export interface TupleStore {
  /** Returns all tuples as of one revision. */
  load(): Promise<{ readonly revision: number; readonly tuples: readonly ConditionalTuple[] }>;
  /** Returns the changes after a revision, in order. Undefined if they are no longer stored and all tuples must be reloaded. */
  changesSince(revision: number): Promise<{ readonly revision: number; readonly changes: readonly TupleChange[] } | undefined>;
  /** Applies all changes or none. Neither list contains a tuple twice, and no tuple is in both. */
  apply(writes: readonly ConditionalTuple[], deletes: readonly ConditionalTuple[]): Promise<void>;
  read(filter: TupleFilter): Promise<readonly ConditionalTuple[]>;
  /** Calls `onChange` after every change by any process, and whenever changes may have been missed. Resolves once watching. */
  watch(onChange: () => void): Promise<ChannelSubscription>;
  /** Rejects if the store does not respond. */
  ping(timeoutMs?: number): Promise<void>;
}

/** Runs an operation of the store. Converts failures of the database to SERVICE_UNAVAILABLE. */
export async function reach<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    throw new AppError("SERVICE_UNAVAILABLE", "the permission store does not respond", { cause: error });
  }
}
