import { ask, found } from "../client.ts";
import {
  CreateServiceAccountDocument,
  DeleteServiceAccountDocument,
  DistrustPipelineDocument,
  GrantAccessDocument,
  RevokeAccessDocument,
  RevokeServiceAccountTokenDocument,
  ServiceAccountsDocument,
  TrustPipelineDocument,
} from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import type { AccountGrant } from "./platform-state.ts";
import { readTrusts } from "./read-platform.ts";
import type { Change } from "./step.ts";
import { isSamePipeline, type TrustEntry } from "./trust.ts";

/** What changes service accounts and the pipelines that they trust. */
export type AccountChange = Extract<Change, { readonly account: string } | { readonly trust: TrustEntry }>;

/** Does one step. */
export async function changeAccounts(options: GlobalOptions, change: AccountChange): Promise<void> {
  switch (change.kind) {
    case "create account":
      return await createAccount(options, change.account, change.grants);
    case "delete account":
      await ask(options, DeleteServiceAccountDocument, { id: await accountId(options, change.account) });
      return;
    case "grant account":
      await ask(options, GrantAccessDocument, await tupleOf(options, change));
      return;
    case "revoke account":
      await ask(options, RevokeAccessDocument, await tupleOf(options, change));
      return;
    case "distrust":
      await ask(options, DistrustPipelineDocument, { id: change.trust.id });
      return;
    case "change trust":
      await endTrust(options, change.trust);
      return await trust(options, change.trust);
    case "trust":
      return await trust(options, change.trust);
  }
}

/** A token that is never shown, and ends at once. */
const firstTokenMs = 60_000;

/** The platform creates an account with a token, which is not what the file says: it is revoked, and its secret is not stored. */
async function createAccount(options: GlobalOptions, name: string, grants: readonly AccountGrant[]): Promise<void> {
  const expiresAt = new Date(Date.now() + firstTokenMs).toISOString();
  const { createServiceAccount } = await ask(options, CreateServiceAccountDocument, { name, grants, expiresAt });
  const { account, token } = createServiceAccount;
  await ask(options, RevokeServiceAccountTokenDocument, { id: account.id, tokenId: token.id });
}

async function tupleOf(
  options: GlobalOptions,
  { account, grant }: Extract<Change, { kind: "grant account" | "revoke account" }>,
) {
  return { user: `machine:${await accountId(options, account)}`, ...grant };
}

async function accountId(options: GlobalOptions, name: string): Promise<string> {
  const { serviceAccounts } = await ask(options, ServiceAccountsDocument, {});
  return found(
    serviceAccounts.find((account) => account.name === name),
    `service account ${name}`,
  ).id;
}

/** The platform has no two trusts in one pipeline. */
async function endTrust(options: GlobalOptions, entry: TrustEntry): Promise<void> {
  const existing = (await readTrusts(options)).find((live) => isSamePipeline(entry, live));
  if (existing) await ask(options, DistrustPipelineDocument, { id: existing.id });
}

async function trust(options: GlobalOptions, { claims, ...entry }: TrustEntry): Promise<void> {
  const listed = Object.entries(claims).map(([name, value]) => ({ name, value }));
  await ask(options, TrustPipelineDocument, { ...entry, claims: listed });
}
