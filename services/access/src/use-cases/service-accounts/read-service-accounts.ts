import { type Call, requirePermission } from "@appserver/kernel";
import type { ServiceAccount } from "../../ports.ts";
import type { ServiceAccountsContext } from "./context.ts";

/** Returns all service accounts by name, with their tokens. Needs `access:view`. */
export async function readServiceAccounts(
  { accounts, database, permissions }: Pick<ServiceAccountsContext, "accounts" | "database" | "permissions">,
  call: Call,
): Promise<readonly ServiceAccount[]> {
  await requirePermission(permissions, call, "access:view");
  return await accounts.list(database);
}
