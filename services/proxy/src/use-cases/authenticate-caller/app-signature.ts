import { createHash, type KeyObject } from "node:crypto";
import { signatureHeaders, signatureWindow, signedMessage, timestampPattern } from "@appserver/contracts/signature";
import type { Caller, Clock } from "@appserver/kernel";
import { isOnlyReading } from "../../domain/one-timestamp.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { AppKey, AppKeys, Cache } from "../../ports.ts";
import { type CredentialedRequest, isSafeMethod } from "./credentialed-request.ts";
import { createDummyKey, isSigningKey, isValidRsaSignature } from "./rsa-signature.ts";

const emptyBody = new Uint8Array(0);
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const authority = /^[A-Za-z0-9.\-_~:[\]]+$/;
/**
 * Replays are remembered this much longer than a signature lives: the memory counts on a monotonic clock, and a wall
 * clock that is set back makes old signatures young again.
 */
const clockJumpToleranceMs = 15 * 60_000;

export interface AppSignaturesDeps {
  readonly apps: AppKeys;
  readonly cache: Cache;
  readonly clock: Clock;
}

interface SignatureHeaders {
  readonly appName: string;
  readonly signature: Buffer;
  readonly timestamp: string;
  readonly issuedAt: number;
}

/** Verifies signed requests of apps. Source: specification §5 "App signature rules", behaviour "Proxy", Signature. */
export class AppSignatures {
  readonly #deps: AppSignaturesDeps;
  readonly #dummy: KeyObject = createDummyKey();

  constructor(deps: AppSignaturesDeps) {
    this.#deps = deps;
  }

  /** Whether the request claims to come from an app; it is then judged as that alone. */
  static claims(request: CredentialedRequest): boolean {
    return request.header(signatureHeaders.signature) !== undefined || request.header(signatureHeaders.appName) !== undefined;
  }

  /** Rejects with AUTHENTICATION_FAILED, for every flaw of the signature in the same words. */
  async verify(request: CredentialedRequest): Promise<Caller> {
    const headers = this.#readHeaders(request);
    const known = await this.#find(headers.appName);
    const body = (await request.readBody?.()) ?? emptyBody;
    const key = known && isSigningKey(known.key) ? known.key : this.#dummy;
    const url = urlsOf(request).find((candidate) =>
      isValidRsaSignature(key, signedMessage(request.method, candidate, headers.timestamp, body), headers.signature),
    );
    if (!known || url === undefined || !this.#isCurrent(known)) throw badSignature();
    if (!isOnlyReading(url, headers.timestamp, body)) throw badSignature();
    if (!isSafeMethod(request.method)) await this.#remember(headers);
    return { kind: "app", name: headers.appName, id: known.id };
  }

  async #find(appName: string): Promise<AppKey | undefined> {
    try {
      return await this.#deps.apps.find(appName);
    } catch (cause) {
      throw new Refusal("SERVICE_UNAVAILABLE", "identity_unavailable", "Signatures cannot be checked at the moment.", {
        cause,
      });
    }
  }

  #readHeaders(request: CredentialedRequest): SignatureHeaders {
    const appName = request.header(signatureHeaders.appName);
    const signature = request.header(signatureHeaders.signature);
    const timestamp = request.header(signatureHeaders.timestamp);
    if (!appName || !signature || !timestamp) {
      throw malformed(`expected ${Object.values(signatureHeaders).join(", ")} together`);
    }
    // One text for one signature: the memory against replays must not be fooled by another spelling.
    if (!base64.test(signature)) throw malformed("the signature is not base64");
    const issuedAt = parseTimestamp(timestamp);
    if (issuedAt === undefined) throw malformed("the timestamp is not ISO 8601 in UTC");
    const age = this.#deps.clock.now() - issuedAt;
    if (age > signatureWindow.pastSeconds * 1_000 || age < -signatureWindow.aheadSeconds * 1_000) throw badSignature();
    return { appName, signature: Buffer.from(signature, "base64"), timestamp, issuedAt };
  }

  #isCurrent(app: AppKey): boolean {
    const now = this.#deps.clock.now();
    return now >= (app.validFrom ?? now) && now <= (app.validTo ?? now);
  }

  async #remember({ signature, issuedAt }: SignatureHeaders): Promise<void> {
    const digest = createHash("sha256").update(signature).digest("base64url");
    const lifeLeftMs = issuedAt + signatureWindow.pastSeconds * 1_000 - this.#deps.clock.now();
    const isNew = await this.#deps.cache.addIfAbsent(`replay:${digest}`, lifeLeftMs + clockJumpToleranceMs);
    if (!isNew) throw new Refusal("AUTHENTICATION_FAILED", "signature_replayed", "This signed request was already received.");
  }
}

/** What `url` may have been to the signer: path and query as sent, or the absolute URL under the host asked for. */
function urlsOf(request: CredentialedRequest): readonly string[] {
  const host = request.header("host") ?? "";
  if (!request.url.startsWith("/") || !authority.test(host)) return [request.url];
  return [request.url, `http://${host}${request.url}`, `https://${host}${request.url}`];
}

/** Milliseconds since the epoch; undefined unless strict ISO 8601 UTC of a day that exists. */
export function parseTimestamp(text: string): number | undefined {
  if (!timestampPattern.test(text)) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 19) !== text.slice(0, 19)) return undefined;
  return time;
}

function malformed(reason: string): Refusal {
  return new Refusal(
    "AUTHENTICATION_FAILED",
    "credentials_malformed",
    `The request's signature headers are not valid: ${reason}.`,
  );
}

/** The same whatever was wrong, so that nobody learns which apps exist. */
function badSignature(): Refusal {
  return new Refusal("AUTHENTICATION_FAILED", "signature_invalid", "The request's signature is not valid.");
}
