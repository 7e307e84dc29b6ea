import { AppError, type Caller, type MaybePromise } from "@appserver/kernel";
import type { GraphQLError } from "graphql";
import type { PreparedOperation } from "./executor.ts";
import { requestError } from "./graphql-errors.ts";

/** Returns whether the caller may introspect the schema. Called only for operations that do. */
export type Introspection = (caller: Caller) => MaybePromise<boolean>;

/**
 * Returns the reason why the operation may not run, undefined if it may. Rejects with SERVICE_UNAVAILABLE if the check fails.
 */
export async function introspectionRefusal(
  { cached }: PreparedOperation,
  caller: Caller,
  introspection: Introspection,
): Promise<readonly GraphQLError[] | undefined> {
  if (!cached.introspects || (await introspection(caller))) return undefined;
  return [requestError(new AppError("PERMISSION_DENIED", "introspection is off for this caller"))];
}
