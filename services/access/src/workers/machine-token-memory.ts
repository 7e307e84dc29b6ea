import { parseTokenScope } from "@appserver/contracts/authorization";
import {
  type Clock,
  type Component,
  every,
  type Logger,
  type MachineCaller,
  type MaybePromise,
  Rejection,
  type TokenScope,
} from "@appserver/kernel";
import type { ChannelSubscription, Database } from "@appserver/kernel/ports";
import type { MachineTokens, MachineTokenTable, StoredMachineToken } from "../ports.ts";

export interface MachineTokenMemoryOptions {
  readonly database: Pick<Database, "listen" | "query">;
  readonly table: MachineTokenTable;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Known {
  readonly caller: MachineCaller;
  /** Milliseconds since the epoch. */
  readonly endsAt: number;
  notedAt: number;
}

/** A trigger notifies on it of tokens that have ended: `<account>:<token>`. */
const endedChannel = "access_tokens_ended";
/** The last use of a token is stored this often at most. */
const noteAfterMs = 60_000;
const noteIntervalMs = 5_000;
/** Connections of expired tokens end within this time. */
const expiryIntervalMs = 500;

/**
 * The tokens of service accounts that this process has seen. They are valid until they expire or a notification ends them, without a
 * statement. While the process is not sure that it hears all notifications, it reads the row at each check. Only valid tokens are
 * kept, and their number is limited (docs/interface/permissions.md#service-accounts).
 */
export class MachineTokenMemory implements MachineTokens, Component {
  readonly name = "service accounts";
  readonly #options: MachineTokenMemoryOptions;
  /** By the key of the token. */
  readonly #known = new Map<string, Known>();
  readonly #listeners: ((accountId: string | undefined) => void)[] = [];
  readonly #stopped = new AbortController();
  /** Times by token. */
  readonly #uses = new Map<string, number>();
  #subscription: ChannelSubscription | undefined;
  /** Changes with each notification: what was read before is not kept. */
  #epoch = 0;

  constructor(options: MachineTokenMemoryOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { clock, database, logger } = this.#options;
    this.#subscription ??= await database.listen(
      endedChannel,
      (payload) => this.#heard(payload),
      () => this.#forgetAll(),
    );
    const repeated = { clock, signal: this.#stopped.signal, first: "after a pause" } as const;
    const failed = (error: unknown) => logger.warn({ err: error }, "access: storing when tokens were used failed");
    void every({ ...repeated, intervalMs: noteIntervalMs, run: () => this.#noteUses(), onError: failed });
    void every({ ...repeated, intervalMs: expiryIntervalMs, run: async () => this.#expire(), onError: failed });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#subscription?.close();
    // The rows may be out of reach. The times are lost then.
    await this.#noteUses().catch(() => {});
  }

  /** Calls the listener with an account whose tokens may have ended; with undefined if it can be any. */
  onEnded(listener: (accountId: string | undefined) => void): void {
    this.#listeners.push(listener);
  }

  identify(tokenKey: string): MaybePromise<MachineCaller> {
    if (this.#subscription?.hears() !== true) return this.#read(tokenKey);
    const known = this.#known.get(tokenKey);
    const now = this.#options.clock.now();
    if (!known || known.endsAt <= now) return this.#read(tokenKey);
    this.#use(known, now);
    return known.caller;
  }

  #use(known: Known, now: number): void {
    if (now - known.notedAt < noteAfterMs) return;
    known.notedAt = now;
    this.#uses.set(known.caller.tokenId, now);
  }

  async #read(tokenKey: string): Promise<MachineCaller> {
    const epoch = this.#epoch;
    const { database, table, clock } = this.#options;
    const token = await table.find(database, tokenKey).catch((cause: unknown) => {
      throw new Rejection("SERVICE_UNAVAILABLE", "identity_unavailable", "Tokens cannot be checked at the moment.", { cause });
    });
    if (!token) {
      this.#known.delete(tokenKey);
      throw new Rejection(
        "AUTHENTICATION_FAILED",
        "token_invalid",
        "The token is not valid: it is unknown, revoked or expired.",
      );
    }
    const known: Known = { caller: callerOf(token), endsAt: token.expiresAt.getTime(), notedAt: token.usedAt?.getTime() ?? 0 };
    this.#use(known, clock.now());
    if (epoch === this.#epoch) this.#known.set(tokenKey, known);
    return known.caller;
  }

  #expire(): void {
    const now = this.#options.clock.now();
    for (const [key, { endsAt, caller }] of this.#known) {
      if (endsAt > now) continue;
      this.#known.delete(key);
      this.#tell(caller.id);
    }
  }

  #heard(payload: string): void {
    this.#epoch += 1;
    const [accountId, tokenId] = payload.split(":");
    for (const [key, { caller }] of this.#known) if (caller.tokenId === tokenId) this.#known.delete(key);
    this.#tell(accountId);
  }

  #forgetAll(): void {
    this.#epoch += 1;
    this.#known.clear();
    this.#tell(undefined);
  }

  #tell(accountId: string | undefined): void {
    for (const listener of this.#listeners) listener(accountId);
  }

  async #noteUses(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = new Map(this.#uses);
    this.#uses.clear();
    await this.#options.table.noteUse(this.#options.database, uses);
  }
}

function callerOf({ id, accountId, accountName, scopes, trustId, apps, run }: StoredMachineToken): MachineCaller {
  const pipeline = trustId && run ? { trustId, apps: apps ?? [], run } : undefined;
  return { kind: "machine", id: accountId, name: accountName, tokenId: id, scopes: scopes?.flatMap(scopeOf), pipeline };
}

/** A scope of a permission that the platform does not have any more allows nothing. */
function scopeOf(text: string): readonly TokenScope[] {
  const scope = parseTokenScope(text);
  return scope ? [scope] : [];
}
