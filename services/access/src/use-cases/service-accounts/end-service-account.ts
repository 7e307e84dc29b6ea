import { AppError, auditEntry, type Call, recordKeyedWork } from "@appserver/kernel";
import { writeTuplesIn } from "../change-access.ts";
import { admitCommand, found, type ServiceAccountsContext, subjectOfAccount } from "./context.ts";

/** Ends a token: every process refuses it and ends its connections within a second. Needs `access:manage`. Throws NOT_FOUND. */
export async function revokeToken(
  context: ServiceAccountsContext,
  { id, tokenId }: { readonly id: string; readonly tokenId: string },
  call: Call,
): Promise<string> {
  const target = subjectOfAccount(id);
  const action = "service_account.token_revoke";
  if (await admitCommand(context, { action, target, details: { token: tokenId } }, call)) return tokenId;
  await context.database.transaction(async (tx) => {
    const { name } = found(await context.accounts.hold(tx, id), id);
    await recordKeyedWork(tx, { account: id, token: tokenId });
    if (!(await context.accounts.endToken(tx, id, tokenId)))
      throw new AppError("NOT_FOUND", `the service account ${name} has no token with this id`);
    await context.audit.record(tx, auditEntry(call, { action, target, details: { name, token: tokenId } }));
  });
  return tokenId;
}

/** Deletes an account with its tokens and all that it was granted. Needs `access:manage`. Throws NOT_FOUND. */
export async function deleteServiceAccount(context: ServiceAccountsContext, id: string, call: Call): Promise<string> {
  const target = subjectOfAccount(id);
  const action = "service_account.delete";
  if (await admitCommand(context, { action, target, details: {} }, call)) return id;
  await context.database.transaction(async (tx) => {
    const { name } = found(await context.accounts.hold(tx, id), id);
    await recordKeyedWork(tx, { account: id });
    await context.accounts.delete(tx, id);
    await context.audit.record(tx, auditEntry(call, { action, target, details: { name } }));
    const deletes = await context.authorization.read({ user: target });
    if (deletes.length > 0) await writeTuplesIn(tx, context, { deletes }, call);
  });
  return id;
}
