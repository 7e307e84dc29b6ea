import { ask, found } from "../client.ts";
import { OperationDocument } from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { type FollowFlags, followOperation } from "./follow-operation.ts";

/** Shows an operation until it ends. Fails with its error. */
export async function showOperation(options: GlobalOptions, id: string, { detach }: FollowFlags): Promise<void> {
  const operation = found((await ask(options, OperationDocument, { id })).operation, `operation ${id}`);
  const done = `${operation.kind} of ${operation.appName} has ended`;
  await followOperation(options, operation, { done, detach });
}
