import { type Clock, Mailbox } from "@appserver/kernel";
import type { ClaimedDelivery } from "../domain/delivery.ts";
import type { AttemptResult } from "../domain/retry-policy.ts";
import type { DeliveryChannel } from "./delivery-channel.ts";

export interface StreamChannelOptions {
  readonly appName: string;
  readonly hookNames: readonly string[] | undefined;
  readonly capacity: number;
  /** How long the subscriber may take for one event. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

interface Open {
  delivery: ClaimedDelivery;
  /** Monotonic time. Undefined until the delivery is sent. */
  deadline: number | undefined;
  resolve(result: AttemptResult): void;
}

/** Sends deliveries on one open stream, by iteration. Acknowledgements finish them. */
export class StreamChannel implements DeliveryChannel, AsyncIterable<ClaimedDelivery> {
  readonly appName: string;
  readonly hookNames: ReadonlySet<string> | undefined;
  readonly pushes = false;
  readonly capacity: number;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  /** By event. An event is in flight to an app at most once. */
  readonly #open = new Map<string, Open>();
  readonly #queue = new Mailbox<Open>();

  constructor(options: StreamChannelOptions) {
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
        // The claim expired and this replica claimed the delivery again. One acknowledgement is for both.
        same.resolve({ outcome: "RELEASED" });
        Object.assign(same, { delivery, resolve });
        return;
      }
      const open: Open = { delivery, deadline: undefined, resolve };
      this.#open.set(delivery.event.id, open);
      this.#queue.push(open);
    });
  }

  /** Finishes a delivery. Ignores acknowledgements that are repeated, too late, or for deliveries of other streams. */
  acknowledge(eventId: string, result: AttemptResult): void {
    const open = this.#open.get(eventId);
    if (open?.deadline === undefined) return;
    this.#open.delete(eventId);
    open.resolve(result);
  }

  /** Ends the deliveries that were not acknowledged in time. */
  expire(): void {
    const now = this.#clock.monotonic();
    for (const [eventId, { deadline }] of this.#open) {
      if (deadline === undefined) continue;
      // Deliveries are sent in order with the same timeout, so the rest expires later.
      if (deadline > now) return;
      this.acknowledge(eventId, { outcome: "TIMEOUT", error: `no acknowledgement within ${this.#timeoutMs} ms` });
    }
  }

  /** Ends the iteration and releases open deliveries. */
  close(): void {
    // Queued deliveries are released, too.
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
