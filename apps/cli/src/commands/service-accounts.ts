import { parseTokenScope, scopeObject } from "@appserver/contracts/authorization";
import { ask, found } from "../client.ts";
import {
  type AccountFragment,
  type AccountTokenFragment,
  CreateServiceAccountDocument,
  CreateServiceAccountTokenDocument,
  DeleteServiceAccountDocument,
  RevokeServiceAccountTokenDocument,
  ServiceAccountsDocument,
} from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { note, print, printJson, printValue } from "../output.ts";
import { renderTable } from "../table.ts";
import { laterTimeOf } from "../time-argument.ts";
import { UsageError } from "../usage-error.ts";

export interface TokenFlags {
  readonly expires: string;
  readonly scope: readonly string[];
}

export interface CreateFlags extends TokenFlags {
  readonly role: readonly string[];
  readonly app: readonly string[];
  readonly permission: readonly string[];
}

interface Grant {
  readonly relation: string;
  readonly object: string;
}

interface Issued {
  readonly account: AccountFragment;
  readonly token: AccountTokenFragment;
  readonly secret?: string | null | undefined;
}

/** Lists accounts, one line for each of their tokens. */
export async function listAccounts(options: GlobalOptions): Promise<void> {
  const { serviceAccounts } = await ask(options, ServiceAccountsDocument, {});
  if (options.json) return printJson(serviceAccounts);
  const rows = serviceAccounts.flatMap(({ name, subject, tokens }) =>
    tokens.length === 0
      ? [[name, subject, "-", "-", "-", "-"]]
      : tokens.map((token) => [name, subject, token.id, scopesText(token), token.expiresAt, token.usedAt ?? "never"]),
  );
  const head = ["NAME", "SUBJECT", "TOKEN", "SCOPES", "EXPIRES", "LAST USED"];
  print(rows.length === 0 ? "there are no service accounts" : renderTable(head, rows));
}

/** Creates an account. The token alone is on standard output. */
export async function createAccount(options: GlobalOptions, name: string, flags: CreateFlags): Promise<void> {
  const grants = grantsOf(flags);
  const variables = { name, grants, ...termsOf(flags) };
  const { createServiceAccount } = await ask(options, CreateServiceAccountDocument, variables);
  printIssued(options, createServiceAccount);
}

/** Adds a token to an account. The token alone is on standard output. */
export async function addToken(options: GlobalOptions, name: string, flags: TokenFlags): Promise<void> {
  const terms = termsOf(flags);
  const { id } = await accountOf(options, name);
  const { createServiceAccountToken } = await ask(options, CreateServiceAccountTokenDocument, { id, ...terms });
  printIssued(options, createServiceAccountToken);
}

/** Ends a token. */
export async function revokeToken(options: GlobalOptions, name: string, tokenId: string): Promise<void> {
  const { id } = await accountOf(options, name);
  await ask(options, RevokeServiceAccountTokenDocument, { id, tokenId });
  if (options.json) printJson({ id, tokenId });
  else print(`token ${tokenId} of ${name} is revoked`);
}

/** Deletes an account. */
export async function deleteAccount(options: GlobalOptions, name: string): Promise<void> {
  const { id } = await accountOf(options, name);
  await ask(options, DeleteServiceAccountDocument, { id });
  if (options.json) printJson({ id });
  else print(`${name} is deleted`);
}

async function accountOf(options: GlobalOptions, name: string): Promise<AccountFragment> {
  const { serviceAccounts } = await ask(options, ServiceAccountsDocument, {});
  return found(
    serviceAccounts.find((account) => account.name === name),
    `service account ${name}`,
  );
}

function printIssued(options: GlobalOptions, { account, token, secret }: Issued): void {
  if (options.json) {
    printJson({ account, token, secret });
    return;
  }
  note(`token of ${account.name} (${account.subject}), valid until ${token.expiresAt}: it is not shown again`);
  printValue(secret ?? "");
}

function termsOf({ expires, scope }: TokenFlags) {
  return { expiresAt: laterTimeOf("--expires", expires), scopes: scope.length === 0 ? null : scope };
}

function scopesText({ scopes }: AccountTokenFragment): string {
  return scopes?.join("\n") ?? "all";
}

function grantsOf({ role, app, permission }: CreateFlags): readonly Grant[] {
  return [
    ...role.map((name) => ({ relation: "assignee", object: `role:${name.replace(/^role:/, "")}` })),
    ...app.map(levelOf),
    ...permission.map(permissionGrant),
  ];
}

function levelOf(text: string): Grant {
  const [name = "", relation = "viewer"] = text.split("=");
  return { relation, object: `app:${name}` };
}

function permissionGrant(text: string): Grant {
  const { permission, appName } = parseTokenScope(text) ?? {};
  if (permission === undefined)
    throw new UsageError(`--permission must be app:install or <app>/notes:read, got ${JSON.stringify(text)}`);
  return { relation: "holder", object: scopeObject(permission, appName) };
}
