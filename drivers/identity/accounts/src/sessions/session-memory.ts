import { AppError, type Clock, every, type Logger, type MaybePromise } from "@appserver/kernel";
import type { ChannelSubscription } from "@appserver/kernel/ports";
import { LRUCache } from "lru-cache";
import type { AccountsDatabase } from "../accounts-database.ts";
import { isToken, keyOfToken } from "../token.ts";
import { outageOf } from "../unavailable.ts";
import { endedChannel, type SessionTable, type SessionTimes, type StoredSession } from "./session-table.ts";

export interface SessionMemoryOptions {
  readonly database: AccountsDatabase;
  readonly table: SessionTable;
  readonly times: SessionTimes;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Known {
  readonly session: StoredSession;
  /** Milliseconds since the epoch. */
  usedAt: number;
  notedAt: number;
}

const maxSessions = 100_000;
/** The last use of a session is written this often at most. */
const noteAfterMs = 60_000;
const noteIntervalMs = 5_000;

/**
 * The sessions that this process has seen. They are valid until a notification says otherwise, without a statement. While the process
 * is not sure that it hears all notifications, it reads the row at each check.
 */
export class SessionMemory {
  readonly #options: SessionMemoryOptions;
  readonly #known: LRUCache<string, Known>;
  /** Keys of {@link #known} by session, by person. */
  readonly #byPerson = new Map<string, Map<string, string>>();
  readonly #listeners: ((userId: string | undefined) => void)[] = [];
  readonly #stopped = new AbortController();
  readonly #uses = new Map<string, number>();
  #subscription: ChannelSubscription | undefined;
  /** Changes with each notification: what was read before is not kept. */
  #epoch = 0;

  constructor(options: SessionMemoryOptions) {
    this.#options = options;
    this.#known = new LRUCache({
      maxSize: maxSessions,
      sizeCalculation: () => 1,
      dispose: ({ session: { id, personId } }) => this.#unlink(personId, id),
    });
  }

  async start(): Promise<void> {
    const { clock, database, logger } = this.#options;
    this.#subscription = await database.listen(
      endedChannel,
      (payload) => this.#heard(payload),
      () => this.#forgetAll(),
    );
    void every({
      clock,
      signal: this.#stopped.signal,
      intervalMs: noteIntervalMs,
      first: "after a pause",
      run: () => this.#noteUses(),
      onError: (error) => logger.warn({ err: error }, "accounts: could not note when sessions were used"),
    });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#subscription?.close();
    await this.#noteUses().catch(() => {});
  }

  /** Calls the listener with a person whose sessions may have ended; with undefined if it can be any. */
  onEnded(listener: (userId: string | undefined) => void): void {
    this.#listeners.push(listener);
  }

  /** Throws or rejects with AUTHENTICATION_FAILED, or SERVICE_UNAVAILABLE if the row has to be read and cannot be. */
  identify(token: string): MaybePromise<StoredSession> {
    if (!isToken(token)) throw invalid();
    const key = keyOfToken(token);
    if (this.#subscription?.hears() !== true) return this.#read(key);
    const known = this.#known.get(key);
    const now = this.#options.clock.now();
    if (!known || !this.#isValid(known, now)) return this.#read(key);
    this.#use(known, now);
    return known.session;
  }

  #isValid({ session, usedAt }: Known, now: number): boolean {
    return session.endsAt.getTime() > now && usedAt > now - this.#options.times.idleMs;
  }

  #use(known: Known, now: number): void {
    known.usedAt = now;
    if (now - known.notedAt < noteAfterMs) return;
    known.notedAt = now;
    this.#uses.set(known.session.id, now);
  }

  async #read(key: string): Promise<StoredSession> {
    const epoch = this.#epoch;
    const { database, table, clock } = this.#options;
    const session = await table.find(database, key).catch((error: unknown) => {
      throw outageOf(error);
    });
    if (!session) {
      this.#known.delete(key);
      throw invalid();
    }
    const known = { session, usedAt: session.usedAt.getTime(), notedAt: session.usedAt.getTime() };
    this.#use(known, clock.now());
    if (epoch === this.#epoch) this.#keep(key, known);
    return session;
  }

  #keep(key: string, known: Known): void {
    this.#known.set(key, known);
    const { id, personId } = known.session;
    const ofPerson = this.#byPerson.get(personId) ?? new Map<string, string>();
    this.#byPerson.set(personId, ofPerson.set(id, key));
  }

  #unlink(personId: string, id: string): void {
    const ofPerson = this.#byPerson.get(personId);
    ofPerson?.delete(id);
    if (ofPerson?.size === 0) this.#byPerson.delete(personId);
  }

  #heard(payload: string): void {
    this.#epoch += 1;
    const [personId = "", sessionId] = payload.split(":");
    const ofPerson = this.#byPerson.get(personId) ?? new Map<string, string>();
    const ended = sessionId === undefined ? [...ofPerson.values()] : [ofPerson.get(sessionId) ?? ""];
    for (const key of ended) this.#known.delete(key);
    this.#tell(personId);
  }

  #forgetAll(): void {
    this.#epoch += 1;
    this.#known.clear();
    this.#byPerson.clear();
    this.#tell(undefined);
  }

  #tell(userId: string | undefined): void {
    for (const listener of this.#listeners) listener(userId);
  }

  async #noteUses(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = new Map(this.#uses);
    this.#uses.clear();
    const { database, table } = this.#options;
    await table.noteUse(database, uses);
  }
}

function invalid(): AppError {
  return new AppError("AUTHENTICATION_FAILED", "the session is not valid");
}
