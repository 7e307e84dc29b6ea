import { hash } from "node:crypto";
import { isAppName } from "@appserver/contracts/names";
import {
  AppError,
  actorOf,
  auditEntry,
  type Call,
  invalidField,
  lineProblem,
  recordKeyedWork,
  uuidv7,
} from "@appserver/kernel";
import { publicIssuers } from "../../domain/pipeline-run.ts";
import type { TokenConditions } from "../../domain/token-conditions.ts";
import type { ServiceAccount, TrustedPipeline, TrustedPipelines } from "../../ports.ts";
import { admitCommand, found, type ServiceAccountsContext, subjectOfAccount } from "../service-accounts/context.ts";
import { requireCeiling } from "../service-accounts/require-ceiling.ts";

export interface TrustContext extends ServiceAccountsContext {
  readonly pipelines: TrustedPipelines;
  /** The origin that people and pipelines use, the default audience. Undefined if the operator has not named it. */
  readonly publicOrigin: string | undefined;
}

export interface TrustRequest extends Partial<Omit<TokenConditions, "provider">> {
  /** The name of a service account. */
  readonly account: string;
  readonly provider: TokenConditions["provider"];
  readonly apps: readonly string[];
}

const maxPipelines = 200;
const maxApps = 20;
const maxClaims = 10;
const maxLength = 255;
const issuerForm = /^https:\/\/[^?#\s@]+$|^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?:\/[^?#\s@]*)?$/;
const repositoryForm = /^[\w.-]+(?:\/[\w.-]+)+$/;
const refForm = /^refs\/(?:heads\/[^*]+|tags\/[^*]+\*?|tags\/\*)$/;
/** One of them says which repository or pipeline a token of another provider is of. */
const identifying = ["sub", "repository", "repository_id", "project_path", "project_id"];
/** What every token is compared by, or what changes with each. */
const ownClaims = ["iss", "aud", "exp", "nbf", "iat", "jti"];

/**
 * Trusts a pipeline. Needs `access:manage`, and everything that the account holds. Throws NOT_FOUND for the account, CONFLICT for conditions
 * that another trust has, and INVALID_STATE for too many.
 */
export async function trustPipeline(context: TrustContext, request: TrustRequest, call: Call): Promise<TrustedPipeline> {
  const { account: name, apps, ...given } = request;
  const attempt = {
    action: "pipeline.trust",
    target: "trusted-pipelines",
    details: { account: name.slice(0, maxLength) },
  } as const;
  const earlier = await admitCommand(context, attempt, call);
  if (earlier) return await readPipeline(context, String(earlier["trust"]));
  const { id: accountId } = await namedAccount(context, name);
  checkApps(apps);
  const conditions = checkConditions(given, context.publicOrigin);
  const id = uuidv7();
  await context.database.transaction(async (tx) => {
    const account = found(await context.accounts.hold(tx, accountId), accountId);
    await requireCeiling(context, { kind: "machine", id: account.id, name, tokenId: "" }, [], call);
    await recordKeyedWork(tx, { trust: id });
    const createdBy = actorOf(call.caller);
    const pipeline = { id, accountId: account.id, ...conditions, apps, createdBy, conditionKey: keyOf(conditions) };
    await context.pipelines.add(tx, pipeline, maxPipelines);
    const target = subjectOfAccount(account.id);
    await context.audit.record(
      tx,
      auditEntry(call, { action: "pipeline.trust", target, details: factsOf({ ...pipeline, name }) }),
    );
  });
  return await readPipeline(context, id);
}

/** Returns what the audit log has of a trust. */
export function factsOf({
  id,
  name,
  apps,
  ...conditions
}: TokenConditions & Pick<TrustedPipeline, "id" | "apps"> & { readonly name: string }) {
  const { provider, issuer, audience, repository, repositoryId, ref, environment, claims } = conditions;
  return { name, trust: id, provider, issuer, audience, repository, repositoryId, ref, environment, claims, apps };
}

async function readPipeline({ pipelines, database }: TrustContext, id: string): Promise<TrustedPipeline> {
  const stored = (await pipelines.list(database)).find((each) => each.id === id);
  if (!stored) throw new AppError("NOT_FOUND", "the trusted pipeline was removed");
  return stored;
}

async function namedAccount({ accounts, database }: TrustContext, name: string): Promise<ServiceAccount> {
  const named = (await accounts.list(database)).find((account) => account.name === name);
  if (named) return named;
  throw new AppError("NOT_FOUND", `there is no service account ${JSON.stringify(name.slice(0, 64))}`);
}

function keyOf(conditions: TokenConditions): string {
  return hash("sha256", JSON.stringify({ ...conditions, claims: Object.entries(conditions.claims).toSorted() }), "base64url");
}

function checkApps(apps: readonly string[]): void {
  if (apps.length < 1 || apps.length > maxApps) throw invalidField("apps", `must be 1 to ${maxApps}`);
  for (const [index, app] of apps.entries())
    if (!isAppName(app) || apps.indexOf(app) !== index)
      throw invalidField(`apps[${index}]`, "must be the name of an app, once");
}

function checkConditions(
  { provider, claims = {}, ...given }: Omit<TrustRequest, "account" | "apps">,
  publicOrigin: string | undefined,
): TokenConditions {
  const issuer = given.issuer ?? (provider === "oidc" ? undefined : publicIssuers[provider]);
  if (issuer === undefined || issuer.length > maxLength || !issuerForm.test(issuer))
    throw invalidField("issuer", "must be the address that tokens have as `iss`: https, without a query");
  const audience = checkText("audience", given.audience ?? publicOrigin);
  const common = { provider, issuer, audience };
  if (provider === "oidc") return { ...common, ...withoutRepository(given), claims: checkClaims(issuer, claims) };
  if (Object.keys(claims).length > 0) throw invalidField("claims", "must be empty: only oidc has them");
  return { ...common, ...checkRepository(given), claims: {} };
}

type RepositoryConditions = Pick<TokenConditions, "repository" | "repositoryId" | "ref" | "environment">;

function withoutRepository(given: Partial<RepositoryConditions>): RepositoryConditions {
  const none = { repository: null, repositoryId: null, ref: null, environment: null };
  for (const name of Object.keys(none) as (keyof typeof none)[])
    if (given[name] != null) throw invalidField(name, "must be absent for oidc: name the claims instead");
  return none;
}

function checkRepository(given: Partial<RepositoryConditions>): RepositoryConditions {
  const repository = checkText("repository", given.repository);
  if (!repositoryForm.test(repository)) throw invalidField("repository", "must be a path like acme/notes");
  const repositoryId = checkText("repositoryId", given.repositoryId);
  if (!/^\d+$/.test(repositoryId))
    throw invalidField("repositoryId", "must be the number of the repository at its provider: a name can get another owner");
  const ref = checkText("ref", given.ref);
  if (!refForm.test(ref))
    throw invalidField(
      "ref",
      "must be a full name like refs/heads/main or refs/tags/v1.0; one below refs/tags/ may end with *",
    );
  const environment = given.environment == null ? null : checkText("environment", given.environment);
  return { repository, repositoryId, ref, environment };
}

function checkClaims(issuer: string, claims: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const known =
    Object.entries(publicIssuers).find(([, each]) => each === issuer)?.[0] ?? (issuer.endsWith("/_services/token") && "github");
  if (known) throw invalidField("issuer", `is that of ${known}: use the provider ${known}, which refuses pull requests`);
  const entries = Object.entries(claims);
  if (entries.length < 1 || entries.length > maxClaims) throw invalidField("claims", `must be 1 to ${maxClaims} for oidc`);
  for (const [name, value] of entries) {
    if (!/^[\w.:/-]{1,64}$/.test(name) || ownClaims.includes(name))
      throw invalidField("claims", `must not have the name ${JSON.stringify(name.slice(0, 64))}`);
    checkText(`claims.${name}`, value);
  }
  if (!entries.some(([name]) => identifying.includes(name)))
    throw invalidField("claims", `must have one of ${identifying.join(", ")}: it says which pipeline a token is of`);
  return claims;
}

function checkText(field: string, value: string | null | undefined): string {
  if (value == null || value === "" || value.length > maxLength)
    throw invalidField(field, `must be a text of 1 to ${maxLength} characters`);
  const problem = lineProblem(value);
  if (problem !== undefined) throw invalidField(field, problem);
  return value;
}
