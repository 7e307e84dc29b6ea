import { setTimeout as sleep } from "node:timers/promises";
import { until } from "./eventually.ts";

/** Sends one request and returns the status. The number is unique. A rejection counts as status 0. */
export type SendRequest = (sequence: number) => Promise<number>;

interface Counts {
  readonly statuses: Map<number, number>;
  readonly times: number[];
  /** The first rejection. */
  error?: string;
}

const pauseMs = 20;

/**
 * Sends requests of several kinds continuously while a test disturbs the servers behind them. Responses are counted by the
 * phase in which the request was sent.
 */
export class RequestLoad<Kind extends string> {
  readonly #requests: Readonly<Record<Kind, SendRequest>>;
  readonly #phases = new Map<string, Map<Kind, Counts>>();
  readonly #callers: Promise<unknown>;
  /** How often each kind returned 200 since its last other response. */
  readonly #successes = new Map<Kind, number>();
  #phase: string;
  #sequence = 0;
  #isSending = true;

  /** `callers`: how many requests of a kind are sent at the same time. Default: one. */
  constructor(
    requests: Readonly<Record<Kind, SendRequest>>,
    phase: string,
    callers: Readonly<Partial<Record<string, number>>> = {},
  ) {
    this.#requests = requests;
    this.#phase = phase;
    const kinds = this.#kinds().flatMap((kind) => Array.from({ length: callers[kind] ?? 1 }, () => kind));
    this.#callers = Promise.all(kinds.map((kind) => this.#sendInTurn(kind)));
  }

  /** Starts a phase: requests from now on are counted under this name. */
  enter(phase: string): void {
    this.#phase = phase;
  }

  /** Resolves once every kind has this many responses in the phase. */
  async responded(count: number): Promise<void> {
    const phase = this.#phase;
    await this.#until(`${count} responses of each kind in "${phase}"`, () =>
      this.#kinds().every((kind) => (this.#phases.get(phase)?.get(kind)?.times.length ?? 0) >= count),
    );
  }

  /** Resolves once each of these kinds returned 200 five times in a row. */
  async recovered(...kinds: readonly Kind[]): Promise<void> {
    await this.#until(`${kinds.join(", ")} recovered`, () => kinds.every((kind) => (this.#successes.get(kind) ?? 0) >= 5));
  }

  /** Returns the responses of a phase with an unexpected status. Kinds without an entry may have any status. */
  wrong(phase: string, right: Readonly<Partial<Record<Kind, readonly number[]>>>): readonly string[] {
    return [...(this.#phases.get(phase) ?? [])].flatMap(([kind, { statuses, error }]) =>
      [...statuses]
        .filter(([status]) => right[kind]?.includes(status) === false)
        .map(
          ([status, count]) =>
            `${phase}: ${kind} returned ${status} ${count} times, expected ${right[kind]?.join(" or ")}; ${error ?? ""}`,
        ),
    );
  }

  /** Returns the responses of all phases, also of requests during a change of phase, that were not 200. */
  failed(): readonly string[] {
    const right = Object.fromEntries(this.#kinds().map((kind) => [kind, [200]])) as unknown as Record<Kind, readonly number[]>;
    return [...this.#phases.keys()].flatMap((phase) => this.wrong(phase, right));
  }

  /** The longest response time of the kind in any phase. */
  slowestMs(kind: Kind): number {
    return Math.max(0, ...[...this.#phases.values()].flatMap((counts) => counts.get(kind)?.times ?? []));
  }

  /** One line per phase and kind. */
  report(): readonly string[] {
    return [...this.#phases].flatMap(([phase, kinds]) =>
      [...kinds].map(([kind, { statuses, times }]) => {
        const sorted = times.toSorted((one, other) => one - other).map(Math.round);
        const counts = [...statuses].map(([status, count]) => `${count} × ${status}`).join(", ");
        return `${phase}: ${kind} ${counts}; median ${sorted[sorted.length >> 1]} ms, slowest ${sorted.at(-1)} ms`;
      }),
    );
  }

  /** Resolves when every request has its response. */
  async stop(): Promise<void> {
    this.#isSending = false;
    await this.#callers;
  }

  /** The number of responses so far. */
  get count(): number {
    return [...this.#phases.values()].flatMap((kinds) => [...kinds.values()]).reduce((sum, { times }) => sum + times.length, 0);
  }

  #kinds(): readonly Kind[] {
    return Object.keys(this.#requests) as Kind[];
  }

  async #sendInTurn(kind: Kind): Promise<void> {
    while (this.#isSending) {
      const phase = this.#phase;
      const startedAt = performance.now();
      const response = await this.#requests[kind](++this.#sequence).catch(String);
      // Requests in progress during a change of phase may have any status. They belong to neither phase.
      const countedIn = this.#phase === phase ? phase : `${phase} → ${this.#phase}`;
      this.#count(countedIn, kind, response, performance.now() - startedAt);
      await sleep(pauseMs);
    }
  }

  #count(phase: string, kind: Kind, response: number | string, ms: number): void {
    const kinds = this.#phases.get(phase) ?? new Map<Kind, Counts>();
    const counts: Counts = kinds.get(kind) ?? { statuses: new Map<number, number>(), times: [] };
    const status = typeof response === "number" ? response : 0;
    if (typeof response === "string") counts.error ??= `${new Date().toISOString()} ${response}`;
    counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1);
    counts.times.push(ms);
    this.#phases.set(phase, kinds.set(kind, counts));
    this.#successes.set(kind, status === 200 ? (this.#successes.get(kind) ?? 0) + 1 : 0);
  }

  async #until(what: string, holds: () => boolean): Promise<void> {
    await until(what, holds, 90_000).catch((cause: unknown) => {
      throw new Error(`${String(cause)}\n${this.report().join("\n")}`, { cause });
    });
  }
}
