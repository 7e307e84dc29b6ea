import { createHmac, timingSafeEqual } from "node:crypto";
import { machineHolds, permissionOf, scopeObject, type Tuple } from "@appserver/contracts/authorization";
import { metricCatalogue } from "@appserver/contracts/metrics";
import {
  type BatchedPermissions,
  type Caller,
  type Clock,
  credentialAllows,
  isPromise,
  type Logger,
  type MaybePromise,
  type OwnedPermission,
  Rejection,
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

export interface CachedPermissionsDeps {
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

interface LocalEntry {
  readonly allowed: boolean;
  readonly expiresAt: number;
}

/** The keys of a decision. The local one needs no object, because the proxy looks it up for every request. */
interface DecisionKeys {
  readonly local: string;
  readonly shared: string;
}

/** Checks permissions through a local and a shared cache. */
export class CachedPermissions implements BatchedPermissions {
  readonly #deps: CachedPermissionsDeps;
  readonly #counts: Readonly<Record<"local" | "shared" | "service" | "forged", CounterHandle>>;
  /** With `max` it would reserve memory for all entries at once. */
  readonly #local = new LRUCache<string, LocalEntry>({ maxSize: localEntries, sizeCalculation: () => 1 });
  readonly #flights = new SingleFlight<string, boolean>();
  readonly #batches = new SingleFlight<string, readonly boolean[]>();
  /** A decision that was requested before an invalidation must not be cached after it. */
  #generation = 0;

  /** Throws RangeError for a MAC key that is too short. */
  constructor(deps: CachedPermissionsDeps) {
    if (deps.macKey.length < 16) throw new RangeError("the MAC key of the permission cache needs at least 16 bytes");
    this.#deps = deps;
    const checks = deps.metrics.counter(metricCatalogue.permissionChecks);
    this.#counts = {
      local: checks.bind({ source: "local" }),
      shared: checks.bind({ source: "shared" }),
      service: checks.bind({ source: "service" }),
      forged: deps.metrics.counter(metricCatalogue.permissionCacheForgeries).bind({}),
    };
  }

  /**
   * Returns without a promise if the decision is in the local cache. Throws or rejects with SERVICE_UNAVAILABLE if no source can
   * decide. Such a failure is not cached. Throws RangeError for a malformed permission or owner.
   */
  allowed(caller: Caller, permission: string, owner?: string): MaybePromise<boolean> {
    if (caller.kind === "system") return true;
    const subject = subjectOf(caller);
    if (subject === undefined || !mayHold(caller, permission, owner)) return false;
    const local = localKey(subject, permission, owner);
    const cached = this.#readLocal(local);
    if (cached !== undefined) return cached;
    const object = scopeObject(permission, owner);
    return this.#flights.run(local, () => this.#resolve(subject, object, { local, shared: sharedKey(subject, object) }));
  }

  /** Rejects as `allowed`. */
  async allowedEach(caller: Caller, permissions: readonly OwnedPermission[]): Promise<readonly boolean[]> {
    const subject = subjectOf(caller);
    if (subject === undefined) return permissions.map(() => caller.kind === "system");
    const possible = permissions.filter(({ permission, owner }) => mayHold(caller, permission, owner));
    if (possible.length === permissions.length) return await this.#heldEach(subject, permissions);
    const held = await this.#heldEach(subject, possible);
    const byPermission = new Map(possible.map((each, index) => [each, held[index] === true]));
    return permissions.map((each) => byPermission.get(each) === true);
  }

  async #heldEach(subject: string, permissions: readonly OwnedPermission[]): Promise<readonly boolean[]> {
    const locals = permissions.map(({ permission, owner }) => localKey(subject, permission, owner));
    const known = locals.map((local) => this.#findLocal(local));
    if (known.every((allowed) => allowed !== undefined)) {
      this.#counts.local.add(known.length);
      return known;
    }
    // Many subscribers of one subject ask for the same permissions at the same event.
    return this.#batches.run(locals.join("\n"), () => this.#resolveEach(subject, permissions));
  }

  async #resolveEach(subject: string, permissions: readonly OwnedPermission[]): Promise<readonly boolean[]> {
    const generation = this.#generation;
    const horizon = this.#deps.changes.recent()?.horizon;
    const keys = new Map(permissions.map((each) => [localKey(subject, each.permission, each.owner), each]));
    const known = new Map<string, boolean>();
    const unknown: { readonly object: string; readonly keys: DecisionKeys }[] = [];
    const lookUp = async (local: string, { permission, owner }: OwnedPermission): Promise<void> => {
      const object = scopeObject(permission, owner);
      const shared = sharedKey(subject, object);
      const cached = this.#readLocal(local);
      const allowed = cached ?? (await this.#readShared(subject, shared));
      if (allowed === undefined) unknown.push({ object, keys: { local, shared } });
      else known.set(local, allowed);
      if (cached === undefined && allowed !== undefined && generation === this.#generation) this.#writeLocal(local, allowed);
    };
    await Promise.all([...keys].map(([local, each]) => lookUp(local, each)));
    const decisions = await this.#check(
      subject,
      unknown.map(({ object }) => object),
    );
    for (const [index, { keys: of }] of unknown.entries()) {
      const allowed = decisions[index] === true;
      known.set(of.local, allowed);
      if (generation === this.#generation) await this.#store(of, allowed, horizon);
    }
    return permissions.map(({ permission, owner }) => known.get(localKey(subject, permission, owner)) === true);
  }

  /** Removes the cached decisions of a subject, or all of them. A userset or a wildcard removes all. */
  async invalidate(subject?: string): Promise<void> {
    this.#generation += 1;
    this.#flights.forget();
    this.#batches.forget();
    // Local entries expire after one second, so an index by subject is not worth its cost.
    this.#local.clear();
    const isOne = subject !== undefined && !/[#*]/.test(subject);
    await this.#deps.cache.deletePrefix(isOne ? `${keyPrefix}${subject}|` : keyPrefix);
  }

  async #resolve(subject: string, object: string, keys: DecisionKeys): Promise<boolean> {
    const generation = this.#generation;
    const horizon = this.#deps.changes.recent()?.horizon;
    const shared = await this.#readShared(subject, keys.shared);
    const allowed = shared ?? (await this.#check(subject, [object]))[0] === true;
    if (generation !== this.#generation) return allowed;
    if (shared === undefined) await this.#store(keys, allowed, horizon);
    else this.#writeLocal(keys.local, allowed);
    return allowed;
  }

  async #check(subject: string, objects: readonly string[]): Promise<readonly boolean[]> {
    const { authorization } = this.#deps;
    if (objects.length > 0) this.#counts.service.add(objects.length);
    const requests = objects.map((object) => ({ user: subject, relation: "holder", object }));
    const [first, ...more] = requests;
    if (!first) return [];
    try {
      const held = more.length > 0 ? await authorization.batchCheck(requests) : [await authorization.check(first)];
      return await Promise.all(held.map(async (isHeld, index) => isHeld && (await this.#isOwn(requests[index] ?? first))));
    } catch (cause) {
      throw new Rejection("SERVICE_UNAVAILABLE", "authorization_unavailable", "Permissions cannot be checked at the moment.", {
        cause,
      });
    }
  }

  /** Returns whether a decision counts: some permissions count for a service account only if it has a tuple of its own. */
  async #isOwn(tuple: Tuple): Promise<boolean> {
    const scope = tuple.user.startsWith("machine:") ? permissionOf(tuple.object) : undefined;
    return !scope || machineHolds(scope) !== "by name" || (await this.#deps.authorization.read(tuple)).length > 0;
  }

  #readLocal(key: string): boolean | undefined {
    const allowed = this.#findLocal(key);
    if (allowed !== undefined) this.#counts.local.add();
    return allowed;
  }

  #findLocal(key: string): boolean | undefined {
    const entry = this.#local.get(key);
    return entry && entry.expiresAt > this.#deps.clock.monotonic() ? entry.allowed : undefined;
  }

  #writeLocal(key: string, allowed: boolean): void {
    this.#local.set(key, { allowed, expiresAt: this.#deps.clock.monotonic() + localTtlMs });
  }

  /** `horizon` was read before the request. Without it the decision is not shared. */
  async #store({ local, shared }: DecisionKeys, allowed: boolean, horizon: number | undefined): Promise<void> {
    this.#writeLocal(local, allowed);
    if (horizon !== undefined) await this.#writeShared(shared, allowed, horizon);
  }

  async #readShared(subject: string, key: string): Promise<boolean | undefined> {
    const stored = this.#deps.cache.get(keyPrefix + key);
    const text = isPromise(stored) ? await stored : stored;
    if (text === undefined) return undefined;
    const [decision = "", issued = "", horizon = "", mac = ""] = text.split(".");
    if ((decision !== "0" && decision !== "1") || !this.#isAuthentic([key, decision, issued, horizon], mac)) {
      this.#deps.logger.warn({ key }, "access: ignored a forged entry of the permission cache");
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
    return decision === "1";
  }

  async #writeShared(key: string, allowed: boolean, horizon: number): Promise<void> {
    const parts = [allowed ? "1" : "0", String(this.#deps.clock.now()), String(horizon)];
    const text = [...parts, this.#mac([key, ...parts]).toString("base64url")].join(".");
    await this.#deps.cache.set(keyPrefix + key, text, sharedTtlMs);
  }

  #isAuthentic(parts: readonly string[], mac: string): boolean {
    const expected = this.#mac(parts);
    const given = Buffer.from(mac, "base64url");
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #mac(parts: readonly string[]): Buffer {
    return createHmac("sha256", this.#deps.macKey).update(parts.join("\n")).digest();
  }
}

/**
 * Returns whether the caller may hold the permission at all. The caches know subjects, not credentials: what the token of a service
 * account does not allow is refused before them.
 */
function mayHold(caller: Caller, permission: string, owner: string | undefined): boolean {
  if (caller.kind === "machine" && machineHolds({ permission, appName: owner }) === "never") return false;
  return credentialAllows(caller, permission, owner);
}

function localKey(subject: string, permission: string, owner = ""): string {
  return `${subject}|${owner}|${permission}`;
}

function sharedKey(subject: string, object: string): string {
  return `${subject}|${object}`;
}
