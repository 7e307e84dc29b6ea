import { AppError, type BatchedPermissions, type Call, earlierReceipt } from "@appserver/kernel";
import type { ServiceAccount, ServiceAccounts, SqlExecutor } from "../../ports.ts";
import { type Attempt, type ChangeContext, requireManager } from "../change-access.ts";

export interface ServiceAccountsContext extends Omit<ChangeContext, "database" | "permissions"> {
  readonly accounts: ServiceAccounts;
  readonly database: ChangeContext["database"] & SqlExecutor;
  readonly permissions: BatchedPermissions;
}

export type ServiceAccountAction =
  | "pipeline.distrust"
  | "pipeline.trust"
  | "service_account.create"
  | "service_account.delete"
  | "service_account.token_create"
  | "service_account.token_revoke";

export function subjectOfAccount(id: string): string {
  return `machine:${id}`;
}

export interface AccountAttempt extends Attempt {
  readonly action: ServiceAccountAction;
}

/** Throws PERMISSION_DENIED without `access:manage`. Returns what an earlier request with the same key has made. */
export async function admitCommand(
  context: ServiceAccountsContext,
  attempt: AccountAttempt,
  call: Call,
): Promise<ReturnType<typeof earlierReceipt>> {
  await requireManager(context, attempt, call);
  return earlierReceipt();
}

/** Returns the account with its tokens. Throws NOT_FOUND. */
export async function readAccount(
  { accounts }: ServiceAccountsContext,
  executor: SqlExecutor,
  id: string,
): Promise<ServiceAccount> {
  return found((await accounts.list(executor, id))[0], id);
}

export function found(account: ServiceAccount | undefined, id: string): ServiceAccount {
  if (!account) throw new AppError("NOT_FOUND", `there is no service account with the id ${JSON.stringify(id.slice(0, 64))}`);
  return account;
}
