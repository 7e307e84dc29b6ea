import { earlierReceipt } from "@appserver/kernel";
import type { OperationRecord } from "../domain/app.ts";
import type { MarketplaceContext } from "./context.ts";
import { unknownApp } from "./find-app.ts";
import type { CommandResult } from "./operation.ts";
import { findOperation } from "./read-operations.ts";

/** Returns the result of the command that an earlier request with the same key has begun. Throws NOT_FOUND if it is no longer kept. */
export async function earlierResult(context: MarketplaceContext, name: string): Promise<CommandResult | undefined> {
  const earlier = await earlierOperation(context, name);
  if (!earlier) return undefined;
  const app = await context.store.findById(earlier.appId);
  if (!app) throw unknownApp(name);
  return { app, operation: earlier.operation };
}

/** Does the same for a command after which there may be no app. */
export async function earlierOperation(
  context: MarketplaceContext,
  name: string,
): Promise<{ readonly appId: string; readonly operation: OperationRecord } | undefined> {
  const receipt = earlierReceipt();
  if (!receipt) return undefined;
  const operation = await findOperation(context, String(receipt["operationId"]));
  if (!operation) throw unknownApp(name);
  return { appId: String(receipt["appId"]), operation };
}
