import type { Clock } from "../clock.ts";
import type { Component } from "../lifecycle.ts";
import type { Logger } from "../logger.ts";
import { every } from "./every.ts";
import { GroupCommit } from "./group-commit.ts";

/** A notification may be lost while its transport is unreachable. The change is then noticed after this time. */
const checkMs = 5_000;
const maxKeysPerRead = 500;

export interface MirrorOptions {
  /** For log lines and the lifecycle: "live apps". */
  readonly name: string;
  /** Subscribes to changes. `onChange` receives the key of what changed, or undefined if anything may have changed. */
  readonly subscribe: (onChange: (key?: string) => void) => Promise<{ close(): Promise<void> }>;
  /** Reads what is stored under these keys, or everything, into memory. Reads never overlap. */
  readonly read: (keys: readonly string[] | undefined) => Promise<void>;
  /** Returns whether memory is still what is stored, in one small statement. @defaultValue everything is read at each check */
  readonly isCurrent?: () => Promise<boolean>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Keeps a copy of stored state in memory current: by a notification of each change, and by a check every 5 s. */
export class Mirror implements Component {
  readonly name: string;
  readonly #options: MirrorOptions;
  readonly #stopped = new AbortController();
  /** A read starts after its request, so that it sees all earlier commits. Undefined reads everything. */
  readonly #reads: GroupCommit<string | undefined, undefined>;
  /** The time when the memory last matched what is stored. Monotonic. */
  #agreedAt = Number.NEGATIVE_INFINITY;
  #subscription: { close(): Promise<void> } | undefined;
  #checking: Promise<void> | undefined;

  constructor(options: MirrorOptions) {
    this.name = options.name;
    this.#options = options;
    this.#reads = new GroupCommit(
      async (keys) => {
        const wanted = new Set(keys);
        await (wanted.has(undefined) ? this.#readAll() : options.read([...wanted] as string[]));
        return keys.map(() => undefined);
      },
      { maxItems: maxKeysPerRead },
    );
  }

  /** Returns the milliseconds since the memory last matched what is stored. Infinite before the first read. */
  ageMs(): number {
    return this.#options.clock.monotonic() - this.#agreedAt;
  }

  /** Rejects if the first read fails: without it the memory cannot be used. */
  async start(): Promise<void> {
    // First, so that no change falls between the read and the subscription.
    this.#subscription ??= await this.#options.subscribe((key) => void this.refresh(key).catch(this.#warn));
    await this.refresh();
    this.#checking = every({
      clock: this.#options.clock,
      signal: this.#stopped.signal,
      intervalMs: checkMs,
      first: "after a pause",
      run: () => this.refreshIfChanged(),
      onError: this.#warn,
    });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#subscription?.close();
    await this.#checking;
  }

  /** Reads what is stored under a key again, without one everything. Keys that are given at the same time share a read. */
  async refresh(key?: string): Promise<void> {
    await this.#reads.run(key);
  }

  /** Reads everything again if anything has changed. */
  async refreshIfChanged(): Promise<void> {
    const askedAt = this.#options.clock.monotonic();
    if (await this.#options.isCurrent?.()) this.#agreedAt = askedAt;
    else await this.refresh();
  }

  async #readAll(): Promise<void> {
    const askedAt = this.#options.clock.monotonic();
    await this.#options.read(undefined);
    this.#agreedAt = askedAt;
  }

  readonly #warn = (error: unknown): void =>
    this.#options.logger.warn({ err: error }, `${this.name}: reading failed; using the last known state`);
}
