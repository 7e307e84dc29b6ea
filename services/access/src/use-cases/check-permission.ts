import { createHmac, timingSafeEqual } from "node:crypto";
import { metricCatalogue } from "@appserver/contracts/metrics";
import {
  type Caller,
  type Clock,
  isPromise,
  type Logger,
  type MaybePromise,
  Refusal,
  SingleFlight,
  subjectOf,
} from "@appserver/kernel";
import { LRUCache } from "lru-cache";
import type { Authorization, Cache, CounterHandle, Metrics, PermissionChanges } from "../ports.ts";

/** Lifetimes of cached checks (docs/interface/permissions.md#cache). */
const localTtlMs = 1_000;
const sharedTtlMs = 300_000;
const localEntries = 100_000;
const keyPrefix = "permission:";

export interface PermissionCheckerDeps {
  readonly authorization: Authorization;
  readonly cache: Cache;
  /** Entries of the shared cache that are older than a change of the subject's permissions are ignored. */
  readonly changes: PermissionChanges;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Secret that all replicas have. Entries of the shared cache without its MAC are ignored. At least 16 bytes. */
  readonly macKey: Uint8Array;
  readonly metrics: Metrics;
}

/**
 * Checks whether callers hold scope objects (`permission_scope:…`), through a local and a shared cache. It takes objects and not
 * names of permissions, as the kernel's `Permissions` does, because the proxy computes the objects of a route once.
 */
export interface PermissionChecker {
  /**
   * Returns without a promise if the decision is in the local cache. The platform has every permission. An anonymous caller has
   * none. Throws or rejects with SERVICE_UNAVAILABLE if no source can decide. Such a failure is not cached.
   */
  allowed(caller: Caller, scopeObject: string): MaybePromise<boolean>;
  /** Returns one decision per scope object, in order, with at most one request to the service. Rejects as `allowed`. */
  allowedEach(caller: Caller, scopeObjects: readonly string[]): Promise<readonly boolean[]>;
  /** Removes the cached decisions of a subject, or all of them. A userset or a wildcard removes all. */
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
  readonly #counts: Readonly<Record<"local" | "shared" | "asked" | "forged", CounterHandle>>;
  readonly #local = new LRUCache<string, LocalEntry>({ max: localEntries });
  readonly #flights = new SingleFlight<string, boolean>();
  /** A decision that was requested before an invalidation must not be cached after it. */
  #generation = 0;

  constructor(deps: PermissionCheckerDeps) {
    if (deps.macKey.length < 16) throw new RangeError("the MAC key of the permission cache needs at least 16 bytes");
    this.#deps = deps;
    const checks = deps.metrics.counter(metricCatalogue.permissionChecks);
    this.#counts = {
      local: checks.bind({ source: "local" }),
      shared: checks.bind({ source: "shared" }),
      asked: checks.bind({ source: "service" }),
      forged: deps.metrics.counter(metricCatalogue.permissionCacheForgeries).bind({}),
    };
  }

  allowed(caller: Caller, scopeObject: string): MaybePromise<boolean> {
    if (caller.kind === "system") return true;
    const subject = subjectOf(caller);
    if (subject === undefined) return false;
    const key = keyOf(subject, scopeObject);
    return this.#readLocal(key) ?? this.#flights.run(key, () => this.#resolve(key, subject, scopeObject));
  }

  async allowedEach(caller: Caller, scopeObjects: readonly string[]): Promise<readonly boolean[]> {
    const subject = subjectOf(caller);
    if (subject === undefined) return scopeObjects.map(() => caller.kind === "system");
    const generation = this.#generation;
    const horizon = this.#deps.changes.recent()?.horizon;
    const known = new Map<string, boolean>();
    for (const object of new Set(scopeObjects)) {
      const key = keyOf(subject, object);
      const answer = this.#readLocal(key) ?? (await this.#readShared(subject, key));
      if (answer !== undefined) known.set(object, answer);
    }
    const asked = [...new Set(scopeObjects)].filter((object) => !known.has(object));
    const answers = asked.length > 0 ? await this.#ask(subject, asked) : [];
    for (const [index, object] of asked.entries()) {
      const allowed = answers[index] === true;
      known.set(object, allowed);
      if (generation === this.#generation) await this.#keep(keyOf(subject, object), allowed, horizon);
    }
    return scopeObjects.map((object) => known.get(object) === true);
  }

  async invalidate(subject?: string): Promise<void> {
    this.#generation += 1;
    this.#flights.forget();
    // Local entries expire after one second, so an index by subject is not worth its cost.
    this.#local.clear();
    const isOne = subject !== undefined && !/[#*]/.test(subject);
    await this.#deps.cache.deletePrefix(isOne ? `${keyPrefix}${subject}|` : keyPrefix);
  }

  async #resolve(key: string, subject: string, scopeObject: string): Promise<boolean> {
    const generation = this.#generation;
    const horizon = this.#deps.changes.recent()?.horizon;
    const shared = await this.#readShared(subject, key);
    const allowed = shared ?? (await this.#ask(subject, [scopeObject]))[0] === true;
    if (generation !== this.#generation) return allowed;
    if (shared === undefined) await this.#keep(key, allowed, horizon);
    else this.#writeLocal(key, allowed);
    return allowed;
  }

  async #ask(subject: string, scopeObjects: readonly string[]): Promise<readonly boolean[]> {
    const { authorization } = this.#deps;
    this.#counts.asked.add(scopeObjects.length);
    const [first, ...more] = scopeObjects.map((object) => ({ user: subject, relation: "holder", object }));
    if (!first) return [];
    try {
      return more.length > 0 ? await authorization.batchCheck([first, ...more]) : [await authorization.check(first)];
    } catch (cause) {
      throw new Refusal("SERVICE_UNAVAILABLE", "authorization_unavailable", "Permissions cannot be checked at the moment.", {
        cause,
      });
    }
  }

  #readLocal(key: string): boolean | undefined {
    const entry = this.#local.get(key);
    if (!entry || entry.expiresAt <= this.#deps.clock.monotonic()) return undefined;
    this.#counts.local.add();
    return entry.allowed;
  }

  #writeLocal(key: string, allowed: boolean): void {
    this.#local.set(key, { allowed, expiresAt: this.#deps.clock.monotonic() + localTtlMs });
  }

  /** `horizon` was read before the request. Without it the decision is not shared. */
  async #keep(key: string, allowed: boolean, horizon: number | undefined): Promise<void> {
    this.#writeLocal(key, allowed);
    if (horizon !== undefined) await this.#writeShared(key, allowed, horizon);
  }

  async #readShared(subject: string, key: string): Promise<boolean | undefined> {
    const stored = this.#deps.cache.get(keyPrefix + key);
    const text = isPromise(stored) ? await stored : stored;
    if (text === undefined) return undefined;
    const [answer = "", issued = "", horizon = "", mac = ""] = text.split(".");
    if ((answer !== "0" && answer !== "1") || !this.#isOurs([key, answer, issued, horizon], mac)) {
      this.#deps.logger.warn({ key }, "ignored a forged entry of the permission cache");
      this.#counts.forged.add();
      return undefined;
    }
    // An entry that was copied and written back is valid no longer than its original lifetime.
    const age = this.#deps.clock.now() - Number(issued);
    if (age < 0 || age >= sharedTtlMs) return undefined;
    // A valid entry from before a change, written back later, must not undo a revocation.
    const changes = this.#deps.changes.recent();
    if (!changes || Number(horizon) < changes.latestOf(subject)) return undefined;
    this.#counts.shared.add();
    return answer === "1";
  }

  async #writeShared(key: string, allowed: boolean, horizon: number): Promise<void> {
    const parts = [allowed ? "1" : "0", String(this.#deps.clock.now()), String(horizon)];
    const text = [...parts, this.#mac([key, ...parts]).toString("base64url")].join(".");
    await this.#deps.cache.set(keyPrefix + key, text, sharedTtlMs);
  }

  #isOurs(parts: readonly string[], mac: string): boolean {
    const expected = this.#mac(parts);
    const given = Buffer.from(mac, "base64url");
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #mac(parts: readonly string[]): Buffer {
    return createHmac("sha256", this.#deps.macKey).update(parts.join("\n")).digest();
  }
}

function keyOf(subject: string, scopeObject: string): string {
  return `${subject}|${scopeObject}`;
}
