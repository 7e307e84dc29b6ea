import type { KeyObject } from "node:crypto";
import { type Clock, type Component, every, type Logger } from "@appserver/kernel";
import type { IssuedIdentity } from "../domain/workload-identity.ts";
import type { IdentityRecord, IdentityRecords } from "../ports.ts";

/** A notification may be lost while the database is unreachable. The change is then noticed after this time. */
const checkMs = 5_000;

export interface IssuedIdentitiesDeps {
  readonly records: IdentityRecords;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Held {
  readonly version: number;
  readonly appName: string;
  /** Undefined if its secret cannot be opened. */
  readonly identity: IssuedIdentity | undefined;
}

/**
 * Why there is no secret: this server has not read it yet (`awaited`), or cannot open it with its encryption keys (`unreadable`).
 */
export type MissingForwardKey = "awaited" | "unreadable";

/**
 * The identities of all deployments in the memory of a server. Each change is in memory as soon as the database has notified the
 * server, and within 5 s without a notification.
 */
export class IssuedIdentities implements Component {
  readonly name = "workload identities";
  readonly #deps: IssuedIdentitiesDeps;
  readonly #stopped = new AbortController();
  readonly #listeners = new Set<(appName: string) => void>();
  /** By app id, then by generation. */
  #held = new Map<string, ReadonlyMap<number, Held>>();
  #summary: string | undefined;
  #hasUnreadable = false;
  #agreedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> = Promise.resolve();
  #listening: { close(): Promise<void> } | undefined;
  #checking: Promise<void> | undefined;

  constructor(deps: IssuedIdentitiesDeps) {
    this.#deps = deps;
  }

  /** Returns the identities of an app's deployments that run, or are about to. */
  ofApp(appId: string): readonly IssuedIdentity[] {
    return [...(this.#held.get(appId)?.values() ?? [])].flatMap(({ identity }) => identity ?? []);
  }

  /**
   * Returns the secret that the platform shares with the container of a generation, or why there is none. An identity is stored
   * before its deployment starts. The listeners are called when it has been read.
   */
  forwardKey(appId: string, generation: number): KeyObject | MissingForwardKey {
    const held = this.#held.get(appId)?.get(generation);
    return held ? (held.identity?.forwardKey ?? "unreadable") : "awaited";
  }

  /** Returns the milliseconds since the memory last matched the database. Infinite before the first read. */
  ageMs(): number {
    return this.#deps.clock.monotonic() - this.#agreedAt;
  }

  /** Calls `listener` after each change of an app's identities, until the returned function is called. It must not throw. */
  onChange(listener: (appName: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async start(): Promise<void> {
    const { records, clock } = this.#deps;
    // First, so that no change falls between the read and the subscription.
    this.#listening = await records.listen(
      (appId) => void this.#inTurn(() => this.#readApp(appId)).catch(this.#logFailure),
      () => void this.refresh().catch(this.#logFailure),
    );
    await this.refresh();
    this.#checking = every({
      clock,
      signal: this.#stopped.signal,
      intervalMs: checkMs,
      first: "after a pause",
      run: () => this.refresh(),
      onError: this.#logFailure,
    });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#listening?.close();
    await this.#checking;
    await this.#reading.catch(() => {});
  }

  /**
   * Reads all identities if any of them has changed. Rejects if the database is unreachable. A repaired secret does not look like a
   * change, so identities are also read again as long as one of them cannot be opened.
   */
  refresh(): Promise<void> {
    return this.#inTurn(async () => {
      const askedAt = this.#deps.clock.monotonic();
      const summary = await this.#deps.records.summary();
      if (summary !== this.#summary || this.#hasUnreadable) await this.#readAll();
      this.#summary = summary;
      this.#agreedAt = askedAt;
    });
  }

  /** One read at a time, so that an older result never replaces a newer one. */
  #inTurn(read: () => Promise<void>): Promise<void> {
    this.#reading = this.#reading.catch(() => {}).then(read);
    return this.#reading;
  }

  async #readApp(appId: string): Promise<void> {
    await this.#take(appId, await this.#deps.records.ofApp(appId));
  }

  async #readAll(): Promise<void> {
    const found = Map.groupBy(await this.#deps.records.all(), ({ owner }) => owner.appId);
    for (const appId of new Set([...this.#held.keys(), ...found.keys()])) await this.#take(appId, found.get(appId) ?? []);
  }

  async #take(appId: string, records: readonly IdentityRecord[]): Promise<void> {
    const before = this.#held.get(appId);
    const now = new Map<number, Held>();
    for (const record of records) {
      const { generation } = record.owner;
      now.set(generation, await this.#open(record, before?.get(generation)));
    }
    const isSame = now.size === (before?.size ?? 0) && [...now].every(([generation, held]) => before?.get(generation) === held);
    if (isSame) return;
    if (now.size > 0) this.#held.set(appId, now);
    else this.#held.delete(appId);
    this.#hasUnreadable = [...this.#held.values()].some((generations) => [...generations.values()].some(isUnreadable));
    const names = [...now.values(), ...(before?.values() ?? [])].map(({ appName }) => appName);
    for (const name of new Set(names)) this.#tell(name);
  }

  #tell(appName: string): void {
    for (const listener of this.#listeners) listener(appName);
  }

  readonly #logFailure = (error: unknown): void =>
    this.#deps.logger.warn({ err: error }, "identities: could not read them; retrying");

  /**
   * An identity that cannot be opened must not stop the others. Nothing is forwarded to its deployment then, and its calls are
   * refused.
   */
  async #open(record: IdentityRecord, known: Held | undefined): Promise<Held> {
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

function isUnreadable({ identity }: Held): boolean {
  return identity === undefined;
}
