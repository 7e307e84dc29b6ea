import { type Clock, Mailbox } from "@appserver/kernel";
import type { ClaimedDelivery } from "../../domain/delivery.ts";
import type { AttemptResult } from "../../domain/retry-policy.ts";
import type { Courier } from "./courier.ts";

export interface StreamCourierOptions {
  readonly appName: string;
  readonly hookNames: readonly string[] | undefined;
  readonly capacity: number;
  /** How long the subscriber may take for one event. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

interface Open {
  delivery: ClaimedDelivery;
  /** Monotonic, from when it was handed out; undefined while it waits to be. */
  deadline: number | undefined;
  resolve(result: AttemptResult): void;
}

/** Deliveries of one open stream: handed out by iterating, ended by acknowledgements. */
export class StreamCourier implements Courier, AsyncIterable<ClaimedDelivery> {
  readonly appName: string;
  readonly hookNames: ReadonlySet<string> | undefined;
  readonly pushes = false;
  readonly capacity: number;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  /** By event: an event is under way to one app once. */
  readonly #open = new Map<string, Open>();
  readonly #queue = new Mailbox<Open>();

  constructor(options: StreamCourierOptions) {
    this.appName = options.appName;
    this.hookNames = options.hookNames && new Set(options.hookNames);
    this.capacity = options.capacity;
    this.#timeoutMs = options.timeoutMs;
    this.#clock = options.clock;
  }

  send(delivery: ClaimedDelivery): Promise<AttemptResult> {
    return new Promise((resolve) => {
      if (this.#queue.isClosed) return resolve({ outcome: "RELEASED" });
      const same = this.#open.get(delivery.event.id);
      if (same) {
        // Its claim ran out, and this replica got it again: one answer of the subscriber is for both.
        same.resolve({ outcome: "RELEASED" });
        Object.assign(same, { delivery, resolve });
        return;
      }
      const open: Open = { delivery, deadline: undefined, resolve };
      this.#open.set(delivery.event.id, open);
      this.#queue.push(open);
    });
  }

  /** An acknowledgement changes nothing if it comes twice, too late, or for a delivery that this stream did not send. */
  acknowledge(eventId: string, result: AttemptResult): void {
    const open = this.#open.get(eventId);
    if (open?.deadline === undefined) return;
    this.#open.delete(eventId);
    open.resolve(result);
  }

  /** Gives up on what was not acknowledged in time. */
  expire(): void {
    const now = this.#clock.monotonic();
    for (const [eventId, { deadline }] of this.#open) {
      if (deadline === undefined) continue;
      // Handed out in order, with one timeout for all: the rest is younger.
      if (deadline > now) return;
      this.acknowledge(eventId, { outcome: "TIMEOUT", error: `no acknowledgement within ${this.#timeoutMs} ms` });
    }
  }

  /** Ends the iteration, and gives back what is open. */
  close(): void {
    // What waits to be handed out is given back, too.
    void this.#queue.return();
    for (const { deadline, resolve } of this.#open.values())
      resolve({ outcome: deadline === undefined ? "RELEASED" : "DISCONNECTED" });
    this.#open.clear();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ClaimedDelivery> {
    for await (const next of this.#queue) {
      next.deadline = this.#clock.monotonic() + this.#timeoutMs;
      yield next.delivery;
    }
  }
}
