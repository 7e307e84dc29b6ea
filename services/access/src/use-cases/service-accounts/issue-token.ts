import { parseTokenScope, tokenScopeForm } from "@appserver/contracts/authorization";
import {
  AppError,
  actorOf,
  auditEntry,
  type Call,
  invalidField,
  recordKeyedWork,
  type TokenScope,
  uuidv7,
} from "@appserver/kernel";
import { keyOfMachineToken, newMachineToken } from "../../domain/machine-token.ts";
import type { ServiceAccount, ServiceAccountToken, Transaction } from "../../ports.ts";
import { admitCommand, found, readAccount, type ServiceAccountsContext, subjectOfAccount } from "./context.ts";
import { requireCeiling } from "./require-ceiling.ts";

export interface TokenRequest {
  /** Default: everything that the account holds. */
  readonly scopes?: readonly string[] | undefined;
  /** Default: 90 days from now. */
  readonly expiresAt?: Date | undefined;
}

/** What a token allows, and until when. */
export interface TokenTerms {
  readonly texts: readonly string[] | null;
  readonly scopes: readonly TokenScope[] | undefined;
  readonly expiresAt: Date;
}

export interface IssuedToken {
  readonly account: ServiceAccount;
  readonly token: ServiceAccountToken;
  /** The token itself. It is stored nowhere. Undefined in the response to a repeated request. */
  readonly secret: string | undefined;
}

const dayMs = 86_400_000;
const defaultDays = 90;
const maxDays = 366;
const maxScopes = 50;
const maxTokens = 20;

/** Throws INVALID_REQUEST for scopes or an end that a token cannot have. */
export function checkTerms({ scopes, expiresAt }: TokenRequest, now: number): TokenTerms {
  const end = expiresAt?.getTime() ?? now + defaultDays * dayMs;
  if (!(end > now && end <= now + maxDays * dayMs))
    throw invalidField("expiresAt", `must be in the future, within ${maxDays} days`);
  if (scopes === undefined) return { texts: null, scopes: undefined, expiresAt: new Date(end) };
  if (scopes.length < 1 || scopes.length > maxScopes) throw invalidField("scopes", `must be 1 to ${maxScopes}`);
  const parsed = scopes.map((text, index) => {
    const scope = parseTokenScope(text);
    if (!scope) throw invalidField(`scopes[${index}]`, `must be ${tokenScopeForm}`);
    return scope;
  });
  return { texts: [...new Set(scopes)], scopes: parsed, expiresAt: new Date(end) };
}

/**
 * Adds a token to a service account. Needs `access:manage`, and everything that the token allows. Throws NOT_FOUND, and INVALID_STATE for
 * too many tokens.
 */
export async function createToken(
  context: ServiceAccountsContext,
  { id, ...request }: TokenRequest & { readonly id: string },
  call: Call,
): Promise<IssuedToken> {
  const attempt = { action: "service_account.token_create", target: subjectOfAccount(id), details: {} } as const;
  const earlier = await admitCommand(context, attempt, call);
  if (earlier) return await issuedBefore(context, earlier);
  const terms = checkTerms(request, context.clock.now());
  const issued = await context.database.transaction(async (tx) => {
    const account = found(await context.accounts.hold(tx, id), id);
    await requireCeiling(context, { kind: "machine", id, name: account.name, tokenId: "", scopes: terms.scopes }, [], call);
    return await issueToken(tx, context, account, terms, call);
  });
  return await issuedToken(context, id, issued);
}

/** Stores a new token, with its audit entry. */
export async function issueToken(
  tx: Transaction,
  { accounts, audit }: Pick<ServiceAccountsContext, "accounts" | "audit">,
  account: Pick<ServiceAccount, "id" | "name">,
  { texts, expiresAt }: TokenTerms,
  call: Call,
): Promise<{ readonly tokenId: string; readonly secret: string }> {
  const [tokenId, secret] = [uuidv7(), newMachineToken()];
  const tokenKey = keyOfMachineToken(secret) ?? "";
  await recordKeyedWork(tx, { account: account.id, token: tokenId });
  const createdBy = actorOf(call.caller);
  await accounts.addToken(tx, { id: tokenId, accountId: account.id, tokenKey, scopes: texts, createdBy, expiresAt }, maxTokens);
  const details = { name: account.name, token: tokenId, scopes: texts, expiresAt: expiresAt.toISOString() };
  const target = subjectOfAccount(account.id);
  await audit.record(tx, auditEntry(call, { action: "service_account.token_create", target, details }));
  return { tokenId, secret };
}

/** Returns what a request has issued, as it is stored now. */
export async function issuedToken(
  context: ServiceAccountsContext,
  id: string,
  { tokenId, secret }: { readonly tokenId: string; readonly secret: string | undefined },
): Promise<IssuedToken> {
  const account = await readAccount(context, context.database, id);
  const token = account.tokens.find((each) => each.id === tokenId);
  if (!token) throw new AppError("NOT_FOUND", "the token was revoked");
  return { account, token, secret };
}

/** Returns what an earlier request with the same key has issued. Its token cannot be shown again. */
export async function issuedBefore(
  context: ServiceAccountsContext,
  { account, token }: Readonly<Record<string, string | number>>,
): Promise<IssuedToken> {
  return await issuedToken(context, String(account), { tokenId: String(token), secret: undefined });
}
