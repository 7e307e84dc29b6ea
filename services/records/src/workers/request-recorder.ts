import { type Clock, type Component, every, fieldText, type Logger } from "@appserver/kernel";
import type { CounterHandle, HandledRequest, RequestHistory, RequestLog } from "@appserver/kernel/ports";

export interface RequestRecorderOptions {
  readonly history: Pick<RequestHistory, "append">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Counts the requests that are not stored. */
  readonly dropped: CounterHandle;
}

const intervalMs = 1_000;
/** How many requests of an interval are stored (docs/interface/limits.md#traces). */
const maxStored = 200;
/** Then the requests to store are chosen, so that busy seconds do not keep their records in memory. */
const maxHeld = 5 * maxStored;

/**
 * Stores the finished requests of this process in one batch a second: of each caller in turn, failed ones first, then those that
 * took longest. The others of a busy second are dropped, and so is a batch that the database does not take (ADR 0057).
 */
export class RequestRecorder implements Component, RequestLog {
  readonly name = "request recorder";
  readonly #options: RequestRecorderOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  // Two lists, so that a request costs no object of its own.
  #requests: HandledRequest[] = [];
  #endedAt: number[] = [];
  /** What the last choice has kept of each caller, and the number of turns that it has needed. */
  readonly #kept = new Map<string, { readonly turns: number; readonly lightest: number }>();
  #turns = 0;

  constructor(options: RequestRecorderOptions) {
    this.#options = options;
  }

  /** Adds a request. Without a time, it has just ended. */
  add(request: HandledRequest, endedAt: number = this.#options.clock.now()): void {
    if (this.#isTooLight(request)) {
      this.#options.dropped.add();
      return;
    }
    this.#requests.push(request);
    if (this.#endedAt.push(endedAt) >= maxHeld) this.#choose();
  }

  start(): void {
    const { clock } = this.#options;
    const { signal } = this.#stopping;
    const onError = (error: unknown): void => this.#failed(error);
    this.#running = every({ clock, signal, intervalMs, first: "after a pause", run: () => this.#store(), onError });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#store().catch((error: unknown) => this.#failed(error));
  }

  async #store(): Promise<void> {
    if (this.#requests.length > maxStored) this.#choose();
    if (this.#requests.length === 0) return;
    const endedAt = this.#endedAt;
    const requests = this.#requests.map((request, index) => ({
      ...boundedTexts(request),
      at: new Date((endedAt[index] ?? 0) - request.durationMs),
    }));
    this.#requests = [];
    this.#endedAt = [];
    this.#kept.clear();
    await this.#options.history.append(requests);
  }

  /** Returns whether the next choice would drop the request: its caller has one in each turn already, and all of them weigh more. */
  #isTooLight(request: HandledRequest): boolean {
    const kept = this.#kept.get(request.caller);
    return kept !== undefined && kept.turns >= this.#turns && weightOf(request) <= kept.lightest;
  }

  #choose(): void {
    const [requests, endedAt] = [this.#requests, this.#endedAt];
    const chosen = inTurns(requests).slice(0, maxStored);
    this.#options.dropped.add(requests.length - chosen.length);
    this.#requests = chosen.flatMap(({ index }) => requests[index] ?? []);
    this.#endedAt = chosen.map(({ index }) => endedAt[index] ?? 0);
    this.#kept.clear();
    for (const { caller, turn, weight } of chosen) this.#kept.set(caller, { turns: turn + 1, lightest: weight });
    this.#turns = (chosen.at(-1)?.turn ?? 0) + 1;
  }

  #failed(error: unknown): void {
    this.#options.logger.debug({ err: error }, "traces: could not store requests");
  }
}

function boundedTexts(request: HandledRequest): HandledRequest {
  const { method, pattern, app, caller } = request;
  return {
    ...request,
    method: fieldText(method),
    pattern: fieldText(pattern),
    app: fieldText(app),
    caller: fieldText(caller),
  };
}

/** A request in the order in which they are kept. */
interface Turn {
  readonly index: number;
  readonly caller: string;
  readonly weight: number;
  readonly turn: number;
}

/**
 * Returns the requests in the order in which they are kept: the heaviest one of each caller, then the next of each. So no caller
 * displaces the requests of others.
 */
function inTurns(requests: readonly HandledRequest[]): readonly Turn[] {
  const turns = new Map<string, number>();
  return requests
    .map((request, index) => ({ index, caller: request.caller, weight: weightOf(request) }))
    .sort((a, b) => b.weight - a.weight)
    .map(({ index, caller, weight }) => {
      const turn = turns.get(caller) ?? 0;
      turns.set(caller, turn + 1);
      return { index, caller, weight, turn };
    })
    .sort((a, b) => a.turn - b.turn);
}

/** A failure weighs more than any duration. */
function weightOf({ status, durationMs }: HandledRequest): number {
  return status >= 500 ? Number.MAX_VALUE : durationMs;
}
