import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import {
  type DeviceAuthorizationRequest,
  type DeviceTokenError,
  isSessionKey,
  sealFor,
} from "@appserver/contracts/command-line";
import { AppError, type Clock, clientNetwork } from "@appserver/kernel";
import type { Cache } from "@appserver/kernel/ports";
import { SharedEntries } from "./shared-entries.ts";
import { newUserCode, typedCode } from "./user-code.ts";

/** Lifetime of a code, and of everything that is stored for it (RFC 8628 §3.2). */
export const expiresInSeconds = 600;
/** Between two polls (RFC 8628 §3.2). */
export const intervalSeconds = 5;

const lifetimeMs = expiresInSeconds * 1_000;
/** New codes for one network of strangers, and for all: they bound the entries. */
const networkWindows = [{ limit: 10, windowMs: lifetimeMs }];
const totalWindows = [{ limit: 1_000, windowMs: lifetimeMs }];
/** Polls of one network, of whatever code. */
const pollWindows = [{ limit: 300, windowMs: 60_000 }];
/** Half a second less than the interval: polls that leave in time can arrive closer together. */
const intervalWindows = [{ limit: 1, windowMs: intervalSeconds * 1_000 - 500 }];
/** Codes that one user types. */
const tryWindows = [{ limit: 5, windowMs: lifetimeMs }];

/** What the page shows of a request. */
export interface DeviceRequest extends DeviceAuthorizationRequest {
  readonly userCode: string;
  /** From where it was sent. */
  readonly address: string;
  /** In milliseconds since the epoch. */
  readonly requestedAt: number;
}

export interface ShownRequest extends DeviceRequest {
  /** Proves that the user has seen the page of this request. */
  readonly ticket: string;
}

/** What a form of the page sends. */
export interface Decision {
  readonly userCode: string;
  readonly ticket: string;
  /** The session to give. Undefined to deny it. */
  readonly token: string | undefined;
}

export type Redemption = { readonly session: string } | { readonly error: DeviceTokenError };

/** What was shown to a user. */
interface Shown {
  readonly id: string;
  readonly ticket: string;
}

/**
 * The logins of terminals without a browser, in the cache that replicas share (docs/interface/permissions.md#device-login). A request is
 * stored under the digest of its device code, and a session only encrypted for the key of the request.
 */
export class DeviceLogins {
  readonly #entries: SharedEntries;
  readonly #clock: Clock;

  constructor({ cache, clock }: { readonly cache: Cache; readonly clock: Clock }) {
    this.#entries = new SharedEntries(cache, "device-login:");
    this.#clock = clock;
  }

  /** Stores a request of a stranger. Throws INVALID_REQUEST for an invalid key, RATE_LIMIT_EXCEEDED above the limits. */
  async begin(
    request: DeviceAuthorizationRequest,
    address: string,
  ): Promise<{ readonly deviceCode: string; readonly userCode: string }> {
    const message = "too many logins were begun: wait, or use `appctl login --with-token`";
    await this.#entries.requireWithin(`begun:${clientNetwork(address)}`, networkWindows, message);
    await this.#entries.requireWithin("begun", totalWindows, message);
    if (!isSessionKey(request.key)) throw new AppError("INVALID_REQUEST", "`key` must be an X25519 key in base64url");
    const deviceCode = randomBytes(32).toString("base64url");
    const id = idOf(deviceCode);
    const userCode = await this.#freeCode(address);
    const stored: DeviceRequest = { ...request, userCode, address, requestedAt: this.#clock.now() };
    await this.#entries.set(`request:${id}`, JSON.stringify(stored), lifetimeMs);
    await this.#entries.set(`code:${userCode}`, id, lifetimeMs);
    return { deviceCode, userCode };
  }

  /** Returns the session, once, or why there is none. Throws RATE_LIMIT_EXCEEDED if the network polls too much. */
  async redeem(deviceCode: string, address: string): Promise<Redemption> {
    await this.#entries.requireWithin(`polls:${clientNetwork(address)}`, pollWindows, "too many polls from this address");
    const id = idOf(deviceCode);
    if (!(await this.#request(id))) return { error: "expired_token" };
    if (!(await this.#entries.isWithin(`poll:${id}`, intervalWindows))) return { error: "slow_down" };
    const outcome = await this.#entries.get(`outcome:${id}`);
    if (outcome === undefined) return { error: "authorization_pending" };
    if (!(await this.#entries.isFirst(`redeemed:${id}`, lifetimeMs, "device-login"))) return { error: "expired_token" };
    await this.#entries.delete(`request:${id}`, `outcome:${id}`);
    return outcome === denied ? { error: "access_denied" } : { session: outcome };
  }

  /**
   * Returns the request of a code that a user has typed. Undefined if there is none. Each code counts as a try before it is looked up, so
   * that not even concurrent requests have more tries; a code that was right for this user before does not. Throws RATE_LIMIT_EXCEEDED above
   * the limit.
   */
  async find(userId: string, typed: string): Promise<ShownRequest | undefined> {
    const code = typedCode(typed);
    const shown = code === undefined ? undefined : await this.#shown(userId, code);
    if (shown) return await this.#undecided(shown);
    await this.#entries.requireWithin(`tries:${userId}`, tryWindows, "too many codes were typed: wait some minutes");
    const id = code === undefined ? undefined : await this.#entries.get(`code:${code}`);
    if (id === undefined) return undefined;
    const found = { id, ticket: randomBytes(16).toString("base64url") };
    const request = await this.#undecided(found);
    if (request) await this.#entries.set(`shown:${userId}:${code}`, JSON.stringify(found), this.#remainingMs(request));
    return request;
  }

  /**
   * Gives a session to the device of a request that was shown to the user, or denies it. Returns the request, or undefined if it has
   * expired, was decided before, or was never shown to this user.
   */
  async decide(userId: string, { userCode, ticket, token }: Decision): Promise<DeviceRequest | undefined> {
    const code = typedCode(userCode);
    const shown = code === undefined ? undefined : await this.#shown(userId, code);
    if (!shown || !isSame(shown.ticket, ticket)) return undefined;
    const request = await this.#undecided(shown);
    if (!request || !(await this.#entries.isFirst(`decided:${shown.id}`, lifetimeMs, userId))) return undefined;
    const outcome = token === undefined ? denied : sealFor(request.key, token);
    await this.#entries.set(`outcome:${shown.id}`, outcome, this.#remainingMs(request));
    await this.#entries.delete(`code:${code}`, `shown:${userId}:${code}`);
    return request;
  }

  async #freeCode(address: string): Promise<string> {
    for (;;) {
      const code = newUserCode();
      if (await this.#entries.isFirst(`issued:${code}`, lifetimeMs, clientNetwork(address))) return code;
    }
  }

  async #request(id: string): Promise<DeviceRequest | undefined> {
    const text = await this.#entries.get(`request:${id}`);
    const request = text === undefined ? undefined : (JSON.parse(text) as DeviceRequest);
    return request && this.#remainingMs(request) > 0 ? request : undefined;
  }

  async #shown(userId: string, code: string): Promise<Shown | undefined> {
    const text = await this.#entries.get(`shown:${userId}:${code}`);
    return text === undefined ? undefined : (JSON.parse(text) as Shown);
  }

  async #undecided({ id, ticket }: Shown): Promise<ShownRequest | undefined> {
    const request = await this.#request(id);
    return request && (await this.#entries.get(`outcome:${id}`)) === undefined ? { ...request, ticket } : undefined;
  }

  #remainingMs({ requestedAt }: DeviceRequest): number {
    return requestedAt + lifetimeMs - this.#clock.now();
  }
}

/** No sealed text is as short. */
const denied = "denied";

/** The code itself is not stored. */
function idOf(deviceCode: string): string {
  return createHash("sha256").update(deviceCode).digest("base64url");
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
