import { AppError, type Clock, isAppError, type Logger, messageOf, SingleFlight } from "@appserver/kernel";
import type { Outbound } from "@appserver/kernel/ports";
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from "jose";
import type { TokenClaims } from "../domain/token-conditions.ts";
import { untrustedToken } from "../domain/untrusted-token.ts";
import type { TokenIssuers } from "../ports.ts";

export interface OpenIdIssuersOptions {
  /** Reads the documents of issuers: the rules for addresses are those of apps. */
  readonly documents: Pick<Outbound, "get">;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Known {
  readonly keys: ReturnType<typeof createLocalJWKSet>;
  /** Monotonic milliseconds. */
  readonly readAt: number;
}

/** A stranger's token can be none of these: `none` proves nothing, and the secret of an HMAC would be the public key. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"];
const freshMs = 600_000;
/** Between two reads of the keys for a token whose key is not among them. */
const rotationPauseMs = 30_000;
/** After a failed read. */
const failurePauseMs = 5_000;
const timeoutMs = 5_000;
const maxBytes = 262_144;
const maxKeys = 100;
const maxIssuers = 200;
const toleranceSeconds = 60;

/** OpenID Connect Discovery, and the keys of issuers, which are kept for some minutes. */
export class OpenIdIssuers implements TokenIssuers {
  readonly #options: OpenIdIssuersOptions;
  readonly #known = new Map<string, Known>();
  readonly #failures = new Map<string, number>();
  readonly #reads = new SingleFlight<string, Known>();

  constructor(options: OpenIdIssuersOptions) {
    this.#options = options;
  }

  async verify(token: string, issuer: string): Promise<TokenClaims> {
    const known = await this.#keysOf(issuer, freshMs);
    try {
      return await this.#verified(token, issuer, known);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw refusalOf(error);
    }
    // The issuer may have a new key.
    const again = await this.#keysOf(issuer, rotationPauseMs);
    if (again === known) throw untrustedToken();
    return await this.#verified(token, issuer, again).catch((error: unknown) => {
      throw refusalOf(error);
    });
  }

  async #verified(token: string, issuer: string, { keys }: Known): Promise<JWTPayload> {
    const currentDate = new Date(this.#options.clock.now());
    const { payload } = await jwtVerify(token, keys, { issuer, algorithms, clockTolerance: toleranceSeconds, currentDate });
    return payload;
  }

  async #keysOf(issuer: string, maxAgeMs: number): Promise<Known> {
    const now = this.#options.clock.monotonic();
    const known = this.#known.get(issuer);
    if (known && now - known.readAt < maxAgeMs) return known;
    const failedAt = this.#failures.get(issuer);
    if (failedAt !== undefined && now - failedAt < failurePauseMs) throw unavailable(issuer);
    return await this.#reads.run(issuer, () => this.#read(issuer));
  }

  async #read(issuer: string): Promise<Known> {
    try {
      const { issuer: named, jwks_uri: address } = await this.#document(
        `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
      );
      if (named !== issuer) throw new Error(`the document of ${issuer} is that of another issuer`);
      if (typeof address !== "string" || !isAllowed(address, issuer))
        throw new Error(`the document of ${issuer} names no jwks_uri of https`);
      const { keys } = await this.#document(address);
      if (!Array.isArray(keys) || keys.length > maxKeys) throw new Error(`${address} is no set of at most ${maxKeys} keys`);
      const known = { keys: createLocalJWKSet({ keys } as JSONWebKeySet), readAt: this.#options.clock.monotonic() };
      if (this.#known.size >= maxIssuers) this.#known.clear();
      this.#known.set(issuer, known);
      this.#failures.delete(issuer);
      return known;
    } catch (cause) {
      if (this.#failures.size >= maxIssuers) this.#failures.clear();
      this.#failures.set(issuer, this.#options.clock.monotonic());
      this.#options.logger.warn({ err: cause, issuer }, "access: reading the keys of an issuer failed");
      throw unavailable(issuer, cause);
    }
  }

  async #document(url: string): Promise<Readonly<Record<string, unknown>>> {
    const { status, body } = await this.#options.documents.get(url, { timeoutMs, maxBytes });
    if (status !== 200) throw new Error(`GET ${url} returned ${status}`);
    const document: unknown = JSON.parse(Buffer.from(body).toString());
    if (typeof document !== "object" || document === null) throw new Error(`GET ${url} returned no object`);
    return document as Readonly<Record<string, unknown>>;
  }
}

/** An issuer of https has its keys at https, too. One of this machine is for development. */
function isAllowed(address: string, issuer: string): boolean {
  if (!URL.canParse(address)) return false;
  return new URL(address).protocol === "https:" || new URL(address).origin === new URL(issuer).origin;
}

function unavailable(issuer: string, cause?: unknown): AppError {
  return new AppError("SERVICE_UNAVAILABLE", `the keys of the issuer ${issuer} cannot be read at the moment`, { cause });
}

/** Says only of a token whose signature is verified what is wrong with it. */
function refusalOf(error: unknown): AppError {
  if (isAppError(error)) return error;
  const isVerified = error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed;
  return isVerified
    ? new AppError("AUTHENTICATION_FAILED", `the token is not valid: ${messageOf(error)}`)
    : untrustedToken(error);
}
