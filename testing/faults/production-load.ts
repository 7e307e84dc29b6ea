import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@appserver/testing/kit";

/** Sends one request and returns the status. The number is unique. A rejection counts as status 0. */
export type Question = (sequence: number) => Promise<number>;

interface Tally {
  readonly statuses: Map<number, number>;
  readonly times: number[];
}

const pauseMs = 20;

/**
 * Sends requests of several kinds continuously while a test stops the servers behind them. Responses are counted by the phase
 * in which the request was sent.
 */
export class ProductionLoad<Kind extends string> {
  readonly #questions: Readonly<Record<Kind, Question>>;
  readonly #phases = new Map<string, Map<Kind, Tally>>();
  readonly #askers: Promise<unknown>;
  readonly #streaks = new Map<Kind, { status: number; length: number }>();
  #phase: string;
  #sequence = 0;
  #asking = true;

  constructor(questions: Readonly<Record<Kind, Question>>, phase: string) {
    this.#questions = questions;
    this.#phase = phase;
    this.#askers = Promise.all(this.#kinds().map((kind) => this.#ask(kind)));
  }

  /** Starts a phase: requests from now on are counted under this name. */
  enter(phase: string): void {
    this.#phase = phase;
  }

  /** Resolves once every kind has this many responses in the phase. */
  async answered(count: number): Promise<void> {
    const phase = this.#phase;
    await this.#until(`${count} responses of each kind in "${phase}"`, () =>
      this.#kinds().every((kind) => (this.#phases.get(phase)?.get(kind)?.times.length ?? 0) >= count),
    );
  }

  /** Resolves once each of these kinds returned its status five times in a row. */
  async settled(expected: Readonly<Partial<Record<Kind, number>>>): Promise<void> {
    await this.#until(`settled at ${JSON.stringify(expected)}`, () =>
      this.#kinds().every((kind) => {
        const streak = this.#streaks.get(kind);
        return expected[kind] === undefined || (streak?.status === expected[kind] && streak.length >= 5);
      }),
    );
  }

  /** Returns the responses of a phase with an unexpected status. Kinds without an entry may have any status. */
  wrong(phase: string, right: Readonly<Partial<Record<Kind, readonly number[]>>>): readonly string[] {
    return [...(this.#phases.get(phase) ?? [])].flatMap(([kind, { statuses }]) =>
      [...statuses]
        .filter(([status]) => right[kind]?.includes(status) === false)
        .map(([status, count]) => `${phase}: ${kind} returned ${status} ${count} times, expected ${right[kind]?.join(" or ")}`),
    );
  }

  /** The longest response time of the kind in any phase. */
  slowestMs(kind: Kind): number {
    return Math.max(0, ...[...this.#phases.values()].flatMap((tallies) => tallies.get(kind)?.times ?? []));
  }

  /** One line per phase and kind. */
  report(): readonly string[] {
    return [...this.#phases].flatMap(([phase, tallies]) =>
      [...tallies].map(([kind, { statuses, times }]) => {
        const sorted = times.toSorted((one, other) => one - other).map(Math.round);
        const counts = [...statuses].map(([status, count]) => `${count} × ${status}`).join(", ");
        return `${phase}: ${kind} ${counts}; median ${sorted[sorted.length >> 1]} ms, slowest ${sorted.at(-1)} ms`;
      }),
    );
  }

  /** Resolves when every request has its response. */
  async stop(): Promise<void> {
    this.#asking = false;
    await this.#askers;
  }

  #kinds(): readonly Kind[] {
    return Object.keys(this.#questions) as Kind[];
  }

  async #ask(kind: Kind): Promise<void> {
    while (this.#asking) {
      const phase = this.#phase;
      const startedAt = performance.now();
      const status = await this.#questions[kind](++this.#sequence).catch(() => 0);
      // Requests in progress during a change of phase may have any status. They belong to neither phase.
      const answeredIn = this.#phase === phase ? phase : `${phase} → ${this.#phase}`;
      this.#count(answeredIn, kind, status, performance.now() - startedAt);
      await sleep(pauseMs);
    }
  }

  #count(phase: string, kind: Kind, status: number, ms: number): void {
    const tallies = this.#phases.get(phase) ?? new Map<Kind, Tally>();
    const tally = tallies.get(kind) ?? { statuses: new Map<number, number>(), times: [] };
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    tally.times.push(ms);
    this.#phases.set(phase, tallies.set(kind, tally));
    const streak = this.#streaks.get(kind);
    this.#streaks.set(kind, { status, length: streak?.status === status ? streak.length + 1 : 1 });
  }

  async #until(what: string, holds: () => boolean): Promise<void> {
    await until(what, holds, 90_000).catch((cause: unknown) => {
      throw new Error(`${String(cause)}\n${this.report().join("\n")}`, { cause });
    });
  }
}
