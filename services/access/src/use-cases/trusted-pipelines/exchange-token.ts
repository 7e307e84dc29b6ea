import { hash } from "node:crypto";
import { AppError, auditEntry, type Clock, type Logger, uuidv7 } from "@appserver/kernel";
import { keyOfMachineToken, newMachineToken } from "../../domain/machine-token.ts";
import { runOf } from "../../domain/pipeline-run.ts";
import { boundedText, type Mismatch, mismatches, repositoryOf, type TokenClaims } from "../../domain/token-conditions.ts";
import { untrustedToken } from "../../domain/untrusted-token.ts";
import type { AuditLog, Database, SqlExecutor, TokenIssuers, TrustedPipeline, TrustedPipelines } from "../../ports.ts";
import { subjectOfAccount } from "../service-accounts/context.ts";

export interface ExchangeContext {
  readonly pipelines: TrustedPipelines;
  readonly issuers: TokenIssuers;
  readonly audit: Pick<AuditLog, "record">;
  readonly database: Pick<Database, "transaction"> & SqlExecutor;
  readonly clock: Pick<Clock, "now">;
  readonly logger: Logger;
}

/** A token of a service account. It is stored nowhere. */
export interface ExchangeResult {
  readonly token: string;
  readonly expiresInSeconds: number;
}

export const maxSubjectTokenLength = 16_384;
const lifetimeSeconds = 900;
/** Clocks differ. */
const toleranceSeconds = 60;
const maxTokenSeconds = 3_600;
/** Valid tokens of one trust: a pipeline with many jobs gets one for each. */
const maxTokens = 100;

/**
 * Exchanges the OpenID token of a pipeline for a token of the service account that trusts it (docs/interface/permissions.md#trusted-pipelines).
 * Anyone may call it: no request leaves the platform for an issuer that no trust names. Throws INVALID_REQUEST for what is no token,
 * AUTHENTICATION_FAILED with the reason, SERVICE_UNAVAILABLE if the keys of the issuer cannot be read, and RATE_LIMIT_EXCEEDED.
 */
export async function exchangeToken(context: ExchangeContext, subjectToken: string): Promise<ExchangeResult> {
  const { pipelines, issuers, database, logger } = context;
  const issuer = issuerIn(subjectToken);
  const candidates = await pipelines.list(database, issuer);
  if (candidates.length === 0) throw untrustedToken();
  const claims = await issuers.verify(subjectToken, issuer);
  try {
    requireShortLife(claims, context.clock.now());
    return await issue(context, trustOf(candidates, claims), { claims, subjectToken });
  } catch (error) {
    const { repository, event_name: event, pipeline_source: source, ref } = claims;
    const facts = {
      issuer,
      repository: boundedText(repository ?? claims["project_path"]),
      event: boundedText(event ?? source),
      ref: boundedText(ref),
    };
    if (error instanceof AppError)
      logger.warn({ ...facts, reason: error.message }, "access: the token of a pipeline was refused");
    throw error;
  }
}

/** Returns `iss`, which nothing has verified: it only selects among issuers of stored trusts. */
function issuerIn(token: string): string {
  const malformed = new AppError("INVALID_REQUEST", "subject_token must be a signed JWT of at most 16 KiB");
  if (token.length > maxSubjectTokenLength || !/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) throw malformed;
  try {
    const { iss } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as TokenClaims;
    if (typeof iss === "string" && iss.length <= 255 && !iss.includes("\0")) return iss;
  } catch {
    // It is no JSON.
  }
  throw malformed;
}

function requireShortLife({ iat, exp }: TokenClaims, now: number): void {
  const isSound = typeof iat === "number" && typeof exp === "number";
  if (isSound && iat <= now / 1_000 + toleranceSeconds && exp - iat <= maxTokenSeconds) return;
  throw refused(`the token must have iat, which has passed, and end within ${maxTokenSeconds} s of it (exp)`);
}

/** Returns the trust whose conditions the token meets, that with the most if there are several. Throws what does not match. */
function trustOf(candidates: readonly TrustedPipeline[], claims: TokenClaims): TrustedPipeline {
  const compared = candidates.map((trust) => ({ trust, differences: mismatches(trust, claims) }));
  const matching = compared.filter(({ differences }) => differences.length === 0).map(({ trust }) => trust);
  const [best] = matching.toSorted((one, other) => weight(other) - weight(one));
  if (best) return best;
  throw refused(reasonOf(compared, claims));
}

function weight({ ref, claims }: TrustedPipeline): number {
  return Object.keys(claims).length + (ref?.endsWith("*") ? 0 : 1);
}

interface Compared {
  readonly trust: TrustedPipeline;
  readonly differences: readonly Mismatch[];
}

/**
 * Names expected values only to tokens of a repository that is trusted: everyone has tokens of a public issuer.
 */
function reasonOf(compared: readonly Compared[], claims: TokenClaims): string {
  const own = compared.filter(({ trust }) => isOfRepository(trust, claims));
  const [nearest] = own.toSorted((one, other) => one.differences.length - other.differences.length);
  if (nearest) {
    const parts = nearest.differences.map(({ claim, expected, got }) => `${claim} must be ${expected}, got ${got}`);
    return `the trust ${nearest.trust.id} does not match: ${parts.join("; ")}`;
  }
  const { repository = claims["project_path"] ?? claims["sub"], repository_id: id = claims["project_id"] } = claims;
  const number = boundedText(id);
  return `no trust is for ${boundedText(repository) ?? "a token without a repository"}${number ? ` (id ${number})` : ""}`;
}

function isOfRepository(trust: TrustedPipeline, claims: TokenClaims): boolean {
  if (trust.provider === "oidc")
    return ["sub", "repository", "project_path"].some(
      (name) => trust.claims[name] !== undefined && trust.claims[name] === claims[name],
    );
  const { repository, repositoryId } = repositoryOf(trust.provider, claims);
  return trust.repositoryId === repositoryId && trust.repository === repository;
}

async function issue(
  { pipelines, audit, database, clock }: ExchangeContext,
  trust: TrustedPipeline,
  { claims, subjectToken }: { readonly claims: TokenClaims; readonly subjectToken: string },
): Promise<ExchangeResult> {
  const [tokenId, secret] = [uuidv7(), newMachineToken()];
  const run = runOf(trust.provider, trust.issuer, claims);
  const actor = subjectOfAccount(trust.accountId);
  const until = new Date((Number(claims["exp"]) + 2 * toleranceSeconds) * 1_000);
  await database.transaction(async (tx) => {
    if (!(await pipelines.hold(tx, trust.id))) throw refused("the trust was removed");
    if (!(await pipelines.noteExchange(tx, keyOf(claims, subjectToken), until)))
      throw refused("the token was exchanged before: each is exchanged once");
    const expiresAt = new Date(clock.now() + lifetimeSeconds * 1_000);
    const { id: trustId, accountId } = trust;
    const tokenKey = keyOfMachineToken(secret) ?? "";
    const token = { id: tokenId, accountId, tokenKey, createdBy: actor, expiresAt, trustId, run };
    if (!(await pipelines.addToken(tx, token, maxTokens)))
      throw new AppError("RATE_LIMIT_EXCEEDED", `the trust has ${maxTokens} valid tokens: wait until one has ended`, {
        details: { retry_after: 60 },
      });
    const details = { name: trust.accountName, trust: trustId, token: tokenId, ...run };
    await audit.record(tx, auditEntry({ actor }, { action: "pipeline.exchange", target: actor, details }));
  });
  return { token: secret, expiresInSeconds: lifetimeSeconds };
}

/** The text of a token can be changed without another signature; `jti` cannot. */
function keyOf({ iss, jti }: TokenClaims, subjectToken: string): string {
  const identity =
    typeof jti === "string" && jti !== "" ? ["jti", iss, jti] : ["token", iss, subjectToken.split(".").slice(0, 2)];
  return hash("sha256", JSON.stringify(identity), "base64url");
}

function refused(message: string): AppError {
  return new AppError("AUTHENTICATION_FAILED", message);
}
