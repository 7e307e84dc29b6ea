import type { KeyObject } from "node:crypto";
import type { MissingForwardKey } from "@appserver/contracts/forwarding";
import { type Clock, type Component, type Logger, Mirror } from "@appserver/kernel";
import type { IssuedIdentity } from "../domain/workload-identity.ts";
import type { IdentityRecord, IdentityRecords } from "../ports.ts";

export interface IssuedIdentitiesDeps {
  readonly records: IdentityRecords;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface KnownIdentity {
  readonly version: number;
  readonly appName: string;
  /** Undefined if its secret cannot be opened. */
  readonly identity: IssuedIdentity | undefined;
}

/**
 * The identities of all deployments in the memory of a server. Each change is in memory as soon as the database has notified the
 * server, and within 5 s without a notification.
 */
export class IssuedIdentities implements Component {
  readonly name = "workload identities";
  readonly #deps: IssuedIdentitiesDeps;
  readonly #listeners = new Set<(appName: string) => void>();
  /** By app id, then by generation. */
  #known = new Map<string, ReadonlyMap<number, KnownIdentity>>();
  #summary: string | undefined;
  #hasUnreadable = false;
  readonly #mirror: Mirror;

  constructor(deps: IssuedIdentitiesDeps) {
    const { records, clock, logger } = deps;
    this.#deps = deps;
    this.#mirror = new Mirror({
      name: this.name,
      subscribe: (onChange) => records.listen(onChange),
      read: (appIds) => this.#read(appIds),
      // A repaired secret does not look like a change, so identities are read again as long as one of them cannot be opened.
      isCurrent: async () => !this.#hasUnreadable && (await records.summary()) === this.#summary,
      clock,
      logger,
    });
  }

  /** Returns the identities of an app's deployments that run, or are about to. */
  ofApp(appId: string): readonly IssuedIdentity[] {
    return [...(this.#known.get(appId)?.values() ?? [])].flatMap(({ identity }) => identity ?? []);
  }

  /**
   * Returns the secret that the platform shares with the container of a generation, or why there is none. An identity is stored
   * before its deployment starts. The listeners are called when it has been read.
   */
  forwardKey(appId: string, generation: number): KeyObject | MissingForwardKey {
    const known = this.#known.get(appId)?.get(generation);
    return known ? (known.identity?.forwardKey ?? "unreadable") : "awaited";
  }

  /** Returns the milliseconds since the memory last matched the database. Infinite before the first read. */
  ageMs(): number {
    return this.#mirror.ageMs();
  }

  /** Calls `listener` after each change of an app's identities, until the returned function is called. It must not throw. */
  onChange(listener: (appName: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async start(): Promise<void> {
    await this.#mirror.start();
  }

  async stop(): Promise<void> {
    await this.#mirror.stop();
  }

  /** Reads all identities if any of them has changed or cannot be opened. Rejects if the database is unreachable. */
  async refresh(): Promise<void> {
    await this.#mirror.refreshIfChanged();
  }

  async #read(appIds: readonly string[] | undefined): Promise<void> {
    const { records } = this.#deps;
    // First, so that a later change differs from it.
    if (!appIds) this.#summary = await records.summary();
    const found = Map.groupBy(await records.read(appIds), ({ owner }) => owner.appId);
    for (const appId of appIds ?? new Set([...this.#known.keys(), ...found.keys()])) {
      await this.#take(appId, found.get(appId) ?? []);
    }
  }

  async #take(appId: string, records: readonly IdentityRecord[]): Promise<void> {
    const before = this.#known.get(appId);
    const now = new Map<number, KnownIdentity>();
    for (const record of records) {
      const { generation } = record.owner;
      now.set(generation, await this.#open(record, before?.get(generation)));
    }
    const isSame =
      now.size === (before?.size ?? 0) && [...now].every(([generation, known]) => before?.get(generation) === known);
    if (isSame) return;
    if (now.size > 0) this.#known.set(appId, now);
    else this.#known.delete(appId);
    this.#hasUnreadable = [...this.#known.values()].some((generations) => [...generations.values()].some(isUnreadable));
    const names = [...now.values(), ...(before?.values() ?? [])].map(({ appName }) => appName);
    for (const name of new Set(names)) for (const listener of this.#listeners) listener(name);
  }

  /**
   * An identity that cannot be opened must not stop the others. Nothing is forwarded to its deployment then, and its calls are
   * refused.
   */
  async #open(record: IdentityRecord, known: KnownIdentity | undefined): Promise<KnownIdentity> {
    const { version, owner } = record;
    const { appName, generation } = owner;
    const isKnown = known?.version === version;
    if (isKnown && known.identity) return known;
    try {
      return { version, appName, identity: await record.open() };
    } catch (error) {
      if (isKnown) return known;
      this.#deps.logger.error(
        { err: error, app: appName, generation },
        "identities: the secret of a deployment cannot be opened",
      );
      return { version, appName, identity: undefined };
    }
  }
}

function isUnreadable({ identity }: KnownIdentity): boolean {
  return identity === undefined;
}
