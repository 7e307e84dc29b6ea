import { AppError, auditEntry, type Call, recordKeyedWork, requirePermission } from "@appserver/kernel";
import type { TrustedPipeline } from "../../ports.ts";
import { admitCommand, subjectOfAccount } from "../service-accounts/context.ts";
import { factsOf, type TrustContext } from "./trust-pipeline.ts";

/** Returns all trusted pipelines, the oldest first. Needs `access:view`. */
export async function readTrustedPipelines(
  { pipelines, database, permissions }: Pick<TrustContext, "pipelines" | "database" | "permissions">,
  call: Call,
): Promise<readonly TrustedPipeline[]> {
  await requirePermission(permissions, call, "access:view");
  return await pipelines.list(database);
}

/**
 * Ends the trust in a pipeline: every process refuses the tokens that it has got within a second. Needs `access:manage`. Throws
 * NOT_FOUND.
 */
export async function distrustPipeline(context: TrustContext, id: string, call: Call): Promise<string> {
  const action = "pipeline.distrust";
  if (await admitCommand(context, { action, target: "trusted-pipelines", details: { trust: id.slice(0, 64) } }, call))
    return id;
  await context.database.transaction(async (tx) => {
    await recordKeyedWork(tx, { trust: id });
    const removed = await context.pipelines.remove(tx, id);
    if (!removed)
      throw new AppError("NOT_FOUND", `there is no trusted pipeline with the id ${JSON.stringify(id.slice(0, 64))}`);
    const target = subjectOfAccount(removed.accountId);
    const details = factsOf({ ...removed, name: removed.accountName });
    await context.audit.record(tx, auditEntry(call, { action, target, details }));
  });
  return id;
}
