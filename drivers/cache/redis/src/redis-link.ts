import type { SecureContextOptions } from "node:tls";
import { type Flight, LocalCopies } from "@appserver/driver";
import type { Clock, MaybePromise } from "@appserver/kernel";
import { CallBudget } from "./call-budget.ts";
import { connectRedis, type RedisConnection } from "./redis-connection.ts";
import type { RedisTarget } from "./redis-target.ts";
import type { ServerScript } from "./server-script.ts";

export interface LinkOptions {
  readonly target: RedisTarget;
  readonly tls: SecureContextOptions | undefined;
  /** A key with no other use, written to check that Redis accepts writes. */
  readonly probeKey: string;
  /** Loaded into Redis when the link opens. */
  readonly scripts: readonly ServerScript[];
  readonly budgetMs: number;
  readonly connectTimeoutMs: number;
  readonly maxLocalBytes: number;
  readonly maxLocalTtlMs: number;
  readonly clock: Clock;
}

/**
 * A working link to Redis: one connection for reads, on which Redis reports changes, and one for all other commands (counting
 * on the first would make Redis report every hit). The first call without a reply within the budget, or the end of either
 * connection, ends the link permanently: all pending calls reject at once, and a new link is needed.
 */
export class RedisLink {
  readonly #options: LinkOptions;
  readonly #budget: CallBudget;
  readonly #copies: LocalCopies;
  readonly #lost = new AbortController();
  #connections: { reader: RedisConnection; commander: RedisConnection } | undefined;

  private constructor(options: LinkOptions) {
    this.#options = options;
    this.#copies = new LocalCopies(options.maxLocalBytes);
    this.#budget = new CallBudget(options.budgetMs, options.clock, () =>
      this.close(new Error(`no response within ${options.budgetMs} ms`)),
    );
  }

  /** Rejects with the reason if Redis cannot be reached, refuses the login, or is too slow for the budget. */
  static async open(options: LinkOptions): Promise<RedisLink> {
    const link = new RedisLink(options);
    try {
      await link.#connect();
      await Promise.all(options.scripts.map(({ text }) => link.command(["SCRIPT", "LOAD", text])));
      await link.probe();
      return link;
    } catch (error) {
      link.close(new Error("the link was not established"));
      throw error;
    }
  }

  /** Aborted with the reason when the link is lost. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Rejects with the server's error, if the reply is late, or if the link is lost. */
  command(args: readonly string[]): Promise<unknown> {
    if (!this.#connections) return Promise.reject(linkLost());
    return this.#budget.within(this.#connections.commander.send(args));
  }

  /** Returns at once from a local copy, which Redis keeps up to date. */
  get(key: string): MaybePromise<string | undefined> {
    return this.#copies.get(key, this.#options.clock.monotonic()) ?? this.#copies.flight(key)?.value ?? this.#read(key);
  }

  /** Drops the copy after a change made here: its notification may come later than the reply to the command. */
  forget(key: string): void {
    this.#copies.forget(key);
  }

  forgetPrefix(prefix: string): void {
    this.#copies.forgetPrefix(prefix);
  }

  /** Runs a script. If Redis no longer has it, sends it again. Rejects like `command`. */
  async script({ text, sha }: ServerScript, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args];
    try {
      return await this.command(["EVALSHA", sha, ...rest]);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
      return await this.command(["EVAL", text, ...rest]);
    }
  }

  /** Checks that both connections respond and Redis accepts writes (not full, not a replica). Rejects if not. */
  async probe(): Promise<void> {
    if (!this.#connections) throw linkLost();
    const read = this.#budget.within(this.#connections.reader.send(["PING"]));
    await Promise.all([read, this.command(["SET", this.#options.probeKey, "", "PX", "1000"])]);
  }

  close(reason: Error): void {
    if (this.#lost.signal.aborted) return;
    this.#lost.abort(reason);
    this.#budget.expireAll(reason);
    this.#connections?.reader.close();
    this.#connections?.commander.close();
    this.#connections = undefined;
  }

  async #connect(): Promise<void> {
    const { target, tls, connectTimeoutMs } = this.#options;
    const onEnd = (error: Error): void => this.close(error);
    const options = { target, tls, timeoutMs: connectTimeoutMs, onEnd };
    const onInvalidate = (key: string | undefined): void => {
      if (key === undefined) this.#copies.forgetPrefix("");
      else this.#copies.forget(key);
    };
    const [reader, commander] = await Promise.allSettled([connectRedis({ ...options, onInvalidate }), connectRedis(options)]);
    if (reader.status === "fulfilled" && commander.status === "fulfilled" && !this.#lost.signal.aborted) {
      this.#connections = { reader: reader.value, commander: commander.value };
      return;
    }
    for (const one of [reader, commander]) if (one.status === "fulfilled") one.value.close();
    for (const one of [reader, commander]) if (one.status === "rejected") throw one.reason;
    throw this.#lost.signal.reason;
  }

  #read(key: string): Promise<string | undefined> {
    if (!this.#connections) return Promise.reject(linkLost());
    const sentAt = this.#options.clock.monotonic();
    const { reader } = this.#connections;
    const replies = this.#budget.within(Promise.all([reader.send(["GET", key]), reader.send(["PTTL", key])]));
    const value = replies.then(([text, ttlMs]) => {
      const found = typeof text === "string" ? text : undefined;
      this.#land(key, flight, found, sentAt, Number(ttlMs));
      return found;
    });
    const flight: Flight = { value };
    this.#copies.takeOff(key, flight);
    value.catch(() => this.#copies.land(key, flight, undefined));
    return value;
  }

  /** Lifetime counts from before the request, so that the copy expires no later than the value. Misses are not stored. */
  #land(key: string, flight: Flight, value: string | undefined, sentAt: number, ttlMs: number): void {
    const expiresAt = sentAt + Math.min(ttlMs, this.#options.maxLocalTtlMs);
    this.#copies.land(key, flight, value !== undefined && ttlMs > 0 ? { value, expiresAt } : undefined);
  }
}

function linkLost(): Error {
  return new Error("the link is lost");
}
