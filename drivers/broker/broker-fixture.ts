import type { ChildProcess } from "node:child_process";
import { uuidv7 } from "@appserver/kernel";
import type { Broker, ConsumeOptions, Delivery, EventEnvelope } from "@appserver/kernel/ports";

export type OpenBroker = Broker & { stop(): Promise<void> | void };

/** One empty broker, and any number of clients that act as separate processes. */
export interface BrokerHarness {
  /** Whether events of a subject are delivered one at a time and in order even if several processes share a queue. */
  readonly ordersAcrossProcesses: boolean;
  /**
   * Returns a started client. Retries come within 50 ms. Stopping waits at most 200 ms for handlers and may be called twice.
   */
  open(): Promise<OpenBroker>;
  /**
   * Starts a process that consumes, prints the id of each received event on a line, and never acknowledges. The broker detects
   * within 2 s that it was killed.
   */
  spawnHangingConsumer(options: ConsumeOptions): ChildProcess;
  close(): Promise<void>;
}

/** State shared by the tests of a suite. */
export interface BrokerFixture {
  readonly harness: BrokerHarness;
  /** A client for all tests. */
  readonly broker: OpenBroker;
  /** Opens another client, which is stopped after the suite. */
  open(): Promise<OpenBroker>;
  /** Returns unused names of queues and event types. */
  fresh(): { readonly prefix: string; readonly type: string; readonly queue: string };
}

/** Returns an event that no other test publishes. */
export function eventOf(type: string, subject = "com.example.app"): EventEnvelope {
  return {
    id: uuidv7(),
    type,
    source: "/appserver/suite",
    subject,
    time: new Date().toISOString(),
    body: { AppName: subject },
  };
}

export function ids(events: readonly EventEnvelope[]): string[] {
  return events.map(({ id }) => id);
}

/** Records deliveries as their handlers end, and lets a test wait for them. */
export class Recorder {
  readonly deliveries: Delivery[] = [];
  readonly #work: (delivery: Delivery) => Promise<void>;
  #waiting: (() => void)[] = [];

  constructor(work: (delivery: Delivery) => Promise<void> = async () => {}) {
    this.#work = work;
  }

  readonly handler = async (delivery: Delivery): Promise<void> => {
    this.deliveries.push(delivery);
    for (const check of this.#waiting) check();
    await this.#work(delivery);
  };

  before(gate: () => Promise<void>): (delivery: Delivery) => Promise<void> {
    return async (delivery) => {
      await this.handler(delivery);
      await gate();
    };
  }

  ids(): string[] {
    return this.deliveries.map(({ event }) => event.id);
  }

  count(deliveries: number): Promise<void> {
    return this.until(() => this.deliveries.length >= deliveries);
  }

  until(condition: (last: Delivery) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        const last = this.deliveries.at(-1);
        if (last && condition(last)) resolve();
      };
      this.#waiting.push(check);
      check();
    });
  }
}
