import { hash, type KeyObject } from "node:crypto";
import { signatureHeaders, signatureWindow, signedMessage, timestampPattern } from "@appserver/contracts/signature";
import type { Caller, Clock, CredentialedRequest } from "@appserver/kernel";
import { Rejection } from "@appserver/kernel";
import { refuseDisabled } from "../../domain/disabled-app.ts";
import { isOnlyReading } from "../../domain/one-timestamp.ts";
import { isSafeMethod } from "../../domain/safe-method.ts";
import type { AppKey, AppKeys, Cache, MarkOutcome } from "../../ports.ts";
import { createDummyKey, isSigningKey, sha256, signedDigest } from "./rsa-signature.ts";
import { SignatureFailures } from "./signature-failures.ts";
import { validKeys } from "./valid-keys.ts";

const emptyBody = new Uint8Array(0);
/** With a length that four divides. */
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;
const authority = /^[A-Za-z0-9.\-_~:[\]]+$/;
/**
 * Replays are stored this much longer than a signature is valid. The store uses a monotonic clock, and setting the wall clock
 * back makes old signatures valid again.
 */
const clockJumpToleranceMs = 15 * 60_000;

export interface AppSignaturesDeps {
  readonly apps: Pick<AppKeys, "find">;
  readonly cache: Cache;
  readonly clock: Clock;
}

interface SignatureHeaders {
  readonly appName: string;
  readonly signature: Buffer;
  readonly timestamp: string;
  readonly issuedAt: number;
}

/**
 * Verifies signed requests of apps (docs/interface/signatures.md#signed-requests).
 *
 * Each signature costs one RSA operation for each key of its length, and one if the app does not exist. The body is read after that, so that nothing is
 * buffered for a signature that was not made with the app's key.
 */
export class AppSignatures {
  readonly #deps: AppSignaturesDeps;
  readonly #dummy: KeyObject = createDummyKey();
  readonly #failures: SignatureFailures;
  readonly #signedWith = new WeakMap<Caller, KeyObject>();

  constructor(deps: AppSignaturesDeps) {
    this.#deps = deps;
    this.#failures = new SignatureFailures(deps.clock);
  }

  /** Returns whether the request claims to come from an app. It is then authenticated only as an app. */
  static claims(request: CredentialedRequest): boolean {
    return request.header(signatureHeaders.signature) !== undefined || request.header(signatureHeaders.appName) !== undefined;
  }

  /**
   * Rejects with AUTHENTICATION_FAILED and the same message for every flaw of the signature; with RATE_LIMIT_EXCEEDED after too
   * many of them; with PERMISSION_DENIED if the app is disabled; with SERVICE_UNAVAILABLE if keys cannot be read or no more used signatures can be stored.
   */
  async verify(request: CredentialedRequest): Promise<Caller> {
    const headers = this.#readHeaders(request);
    const { remoteAddress = "" } = request;
    this.#failures.refuseTooMany(remoteAddress, headers.appName);
    const known = await this.#find(headers.appName);
    const key = await this.#signingKey(request, headers, known);
    if (!key || !known) {
      this.#failures.failed(remoteAddress, headers.appName);
      throw badSignature();
    }
    this.#failures.succeeded(remoteAddress, headers.appName);
    refuseDisabled(headers.appName, known);
    await this.#spend(request, headers);
    const caller: Caller = { kind: "app", name: headers.appName, id: known.id };
    this.remember(caller, key);
    return caller;
  }

  /** Stores the key with which a caller has proved that it is the app. */
  remember(caller: Caller, key: KeyObject): void {
    this.#signedWith.set(caller, key);
  }

  /** Returns the key of {@link remember}. */
  keyOf(caller: Caller): KeyObject | undefined {
    return this.#signedWith.get(caller);
  }

  /** Returns the app's key that signed the request; undefined if none did. */
  async #signingKey(
    request: CredentialedRequest,
    headers: SignatureHeaders,
    known: AppKey | undefined,
  ): Promise<KeyObject | undefined> {
    const { signature, timestamp } = headers;
    const [key, digest] = this.#openedBy(known, signature) ?? [];
    if (!key || !digest) return undefined;
    const body = (await request.readBody?.(headers.appName)) ?? emptyBody;
    const url = urlsOf(request).find((candidate) =>
      digest.equals(sha256(signedMessage(request.method, candidate, timestamp, body))),
    );
    return url !== undefined && isOnlyReading(url, timestamp, body) ? key : undefined;
  }

  /** Tries the keys that have the length of the signature, at least one: an unknown app costs as much as a known one. */
  #openedBy(known: AppKey | undefined, signature: Buffer): readonly [KeyObject, Buffer] | undefined {
    const keys = known ? validKeys(known, this.#deps.clock.now()).filter(isSigningKey) : [];
    for (const key of keys.length > 0 ? keys : [this.#dummy]) {
      const digest = signedDigest(key, signature);
      if (digest) return [key, digest];
    }
    return undefined;
  }

  async #find(appName: string): Promise<AppKey | undefined> {
    try {
      return await this.#deps.apps.find(appName);
    } catch (cause) {
      throw new Rejection("SERVICE_UNAVAILABLE", "identity_unavailable", "Signatures cannot be checked at the moment.", {
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
    // Each signature has exactly one spelling. Otherwise another spelling could bypass the replay check.
    if (signature.length % 4 !== 0 || !base64.test(signature)) throw malformed("the signature is not base64");
    const issuedAt = parseTimestamp(timestamp);
    if (issuedAt === undefined) throw malformed("the timestamp is not ISO 8601 in UTC");
    const age = this.#deps.clock.now() - issuedAt;
    if (age > signatureWindow.pastSeconds * 1_000 || age < -signatureWindow.aheadSeconds * 1_000) throw badSignature();
    return { appName, signature: Buffer.from(signature, "base64"), timestamp, issuedAt };
  }

  /**
   * Accepts the signature of an unsafe request or a handshake only once, because later use of the connection is not signed. A
   * handshake is a GET. So signatures of plain GETs are stored as well, while there is room: they may be repeated, but cannot
   * open a connection.
   */
  async #spend(request: CredentialedRequest, { signature, issuedAt, appName }: SignatureHeaders): Promise<void> {
    const countsOnce = !isSafeMethod(request.method) || request.isUpgrade === true;
    if (!countsOnce && request.method !== "GET") return;
    const key = `replay:${hash("sha256", signature, "base64url")}`;
    const lifeLeftMs = issuedAt + signatureWindow.pastSeconds * 1_000 - this.#deps.clock.now();
    const options = { owner: appName, isEvictable: !countsOnce };
    const outcome = this.#deps.cache.addIfAbsent(key, lifeLeftMs + clockJumpToleranceMs, options);
    if (countsOnce) refuseUnlessAdded(await outcome);
  }
}

function refuseUnlessAdded(outcome: MarkOutcome): void {
  if (outcome === "added") return;
  if (outcome === "present") {
    throw new Rejection("AUTHENTICATION_FAILED", "signature_replayed", "This signed request was already received.");
  }
  throw new Rejection(
    "SERVICE_UNAVAILABLE",
    "replay_memory_full",
    "The app has sent more signed requests than can be remembered until their signatures expire.",
    { retryAfterSeconds: 60 },
  );
}

/** Returns the URLs that the signer may have used: path and query as sent, or the absolute URL with the requested host. */
function urlsOf(request: CredentialedRequest): readonly string[] {
  const host = request.header("host") ?? "";
  if (!request.url.startsWith("/") || !authority.test(host)) return [request.url];
  return [request.url, `http://${host}${request.url}`, `https://${host}${request.url}`];
}

/** Returns milliseconds since the epoch. Undefined unless the text is strict ISO 8601 UTC with an existing day. */
function parseTimestamp(text: string): number | undefined {
  if (!timestampPattern.test(text)) return undefined;
  const time = Date.parse(text);
  // Date.parse counts the days on that a month does not have.
  return new Date(time).getUTCDate() === Number(text.slice(8, 10)) ? time : undefined;
}

function malformed(reason: string): Rejection {
  return new Rejection(
    "AUTHENTICATION_FAILED",
    "credentials_malformed",
    `The request's signature headers are not valid: ${reason}.`,
  );
}

/** Returns the same rejection for every flaw, so that a caller cannot find out which apps exist. */
function badSignature(): Rejection {
  return new Rejection("AUTHENTICATION_FAILED", "signature_invalid", "The request's signature is not valid.");
}
