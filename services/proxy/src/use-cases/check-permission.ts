import { createHmac, timingSafeEqual } from "node:crypto";
import { type Caller, type Clock, isPromise, type Logger, type MaybePromise, subjectOf } from "@appserver/kernel";
import { LRUCache } from "lru-cache";
import { Refusal } from "../domain/refusal.ts";
import type { Authorization, Cache } from "../ports.ts";

/** Specification §5 "Authorization" rule 3, §8. */
const localTtlMs = 1_000;
const sharedTtlMs = 300_000;
const localEntries = 100_000;
const keyPrefix = "permission:";

export interface PermissionCheckerDeps {
  readonly authorization: Authorization;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Secret that replicas share: entries of the shared cache without its MAC are not believed. At least 16 bytes. */
  readonly macKey: Uint8Array;
  /** Hears of every entry that somebody else wrote into the shared cache. */
  readonly onForgedEntry?: () => void;
}

/** Whether callers hold scope objects (`permission_scope:…`), through a local and a shared cache. */
export interface PermissionChecker {
  /**
   * At once when the answer is known locally. The platform itself may everything, nobody nothing. Throws or rejects
   * with SERVICE_UNAVAILABLE when nobody can tell; that is never cached, and never a yes.
   */
  allowed(caller: Caller, scopeObject: string): MaybePromise<boolean>;
  /** Forgets what is cached of a subject, or of all; for `permission.changed`. A userset or wildcard means all. */
  invalidate(subject?: string): Promise<void>;
}

interface LocalEntry {
  readonly allowed: boolean;
  readonly expiresAt: number;
}

/** Throws RangeError for a MAC key that is too short. */
export function createPermissionChecker(deps: PermissionCheckerDeps): PermissionChecker {
  return new CachedPermissions(deps);
}

class CachedPermissions implements PermissionChecker {
  readonly #deps: PermissionCheckerDeps;
  readonly #local = new LRUCache<string, LocalEntry>({ max: localEntries });
  readonly #flights = new Map<string, Promise<boolean>>();
  /** Answers asked for before an invalidation must not be kept after it. */
  #generation = 0;

  constructor(deps: PermissionCheckerDeps) {
    if (deps.macKey.length < 16) throw new RangeError("the MAC key of the permission cache needs at least 16 bytes");
    this.#deps = deps;
  }

  allowed(caller: Caller, scopeObject: string): MaybePromise<boolean> {
    if (caller.kind === "system") return true;
    const subject = subjectOf(caller);
    if (subject === undefined) return false;
    const key = `${subject}|${scopeObject}`;
    const entry = this.#local.get(key);
    if (entry && entry.expiresAt > this.#deps.clock.monotonic()) return entry.allowed;
    return this.#flights.get(key) ?? this.#fly(key, subject, scopeObject);
  }

  async invalidate(subject?: string): Promise<void> {
    this.#generation += 1;
    this.#flights.clear();
    // Local entries live a second: finding one subject's among them is not worth an index.
    this.#local.clear();
    const isOne = subject !== undefined && !/[#*]/.test(subject);
    await this.#deps.cache.deletePrefix(isOne ? `${keyPrefix}${subject}|` : keyPrefix);
  }

  #fly(key: string, subject: string, scopeObject: string): Promise<boolean> {
    const flight = this.#resolve(key, subject, scopeObject).finally(() => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    });
    this.#flights.set(key, flight);
    return flight;
  }

  async #resolve(key: string, subject: string, scopeObject: string): Promise<boolean> {
    const generation = this.#generation;
    const shared = await this.#readShared(key);
    const allowed = shared ?? (await this.#ask(subject, scopeObject));
    if (generation !== this.#generation) return allowed;
    this.#local.set(key, { allowed, expiresAt: this.#deps.clock.monotonic() + localTtlMs });
    if (shared === undefined) await this.#writeShared(key, allowed);
    return allowed;
  }

  async #ask(subject: string, scopeObject: string): Promise<boolean> {
    try {
      return await this.#deps.authorization.check({ user: subject, relation: "holder", object: scopeObject });
    } catch (cause) {
      throw new Refusal("SERVICE_UNAVAILABLE", "authorization_unavailable", "Permissions cannot be checked at the moment.", {
        cause,
      });
    }
  }

  async #readShared(key: string): Promise<boolean | undefined> {
    const stored = this.#deps.cache.get(keyPrefix + key);
    const text = isPromise(stored) ? await stored : stored;
    if (text === undefined) return undefined;
    const [answer = "", issued = "", mac = ""] = text.split(".");
    if ((answer !== "0" && answer !== "1") || !this.#isOurs(key, answer, issued, mac)) {
      this.#deps.logger.warn({ key }, "ignored a forged entry of the permission cache");
      this.#deps.onForgedEntry?.();
      return undefined;
    }
    // An own entry that somebody kept and put back is believed no longer than it would have lived.
    const age = this.#deps.clock.now() - Number(issued);
    return age >= 0 && age < sharedTtlMs ? answer === "1" : undefined;
  }

  async #writeShared(key: string, allowed: boolean): Promise<void> {
    const answer = allowed ? "1" : "0";
    const issued = String(this.#deps.clock.now());
    const text = `${answer}.${issued}.${this.#mac(key, answer, issued).toString("base64url")}`;
    await this.#deps.cache.set(keyPrefix + key, text, sharedTtlMs);
  }

  #isOurs(key: string, answer: string, issued: string, mac: string): boolean {
    const expected = this.#mac(key, answer, issued);
    const given = Buffer.from(mac, "base64url");
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #mac(key: string, answer: string, issued: string): Buffer {
    return createHmac("sha256", this.#deps.macKey).update(`${key}\n${answer}\n${issued}`).digest();
  }
}
