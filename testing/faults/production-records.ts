import { RabbitBroker } from "@appserver/broker-rabbitmq";
import { SystemClock, silentLogger } from "@appserver/kernel";
import type { EventEnvelope } from "@appserver/kernel/ports";
import type { ProductionServices } from "@appserver/testing/kit/production";
import { observedTypes, type PlatformRecords, readTables } from "./platform-records.ts";

const observerPrefix = "faults.subscriber.";

/** Runs `rabbitmqctl` and returns its output. */
export type RabbitControl = (...args: string[]) => Promise<string>;

/** Records and events of a platform on production services, read directly from the services. */
export class ProductionRecords {
  readonly #services: ProductionServices;
  readonly #control: RabbitControl;
  readonly #broker: RabbitBroker;
  readonly #events: EventEnvelope[] = [];

  private constructor(services: ProductionServices, control: RabbitControl) {
    this.#services = services;
    this.#control = control;
    const url = services.environment["APPSERVER_RABBITMQ_URL"] ?? "";
    this.#broker = new RabbitBroker({ url, clock: new SystemClock(), logger: silentLogger, prefetch: 10, maxRetries: 5 });
  }

  /** From now on keeps every event, from separate durable queues, so that it misses none while RabbitMQ is down. */
  static async open(services: ProductionServices, control: RabbitControl): Promise<ProductionRecords> {
    const records = new ProductionRecords(services, control);
    await records.#broker.start();
    await records.#broker.consume({ prefix: observerPrefix, types: observedTypes }, async ({ event }) => {
      records.#events.push(event);
    });
    return records;
  }

  /** Every event since {@link open}. */
  get events(): readonly EventEnvelope[] {
    return this.#events;
  }

  /** Rejects while the database or RabbitMQ is down. */
  async read(): Promise<PlatformRecords> {
    // Read first, so that an event that is published in between is missing in neither.
    const { waiting, dead } = await this.#queued();
    return await readTables(this.#services.database, async () => ({
      events: [...this.#events],
      unconsumed: waiting,
      deadLetters: dead,
    }));
  }

  stop(): Promise<void> {
    return this.#broker.stop();
  }

  async #queued(): Promise<{ readonly waiting: number; readonly dead: number }> {
    const { pathname } = new URL(this.#services.environment["APPSERVER_RABBITMQ_URL"] ?? "");
    const host = pathname.length > 1 ? decodeURIComponent(pathname.slice(1)) : "/";
    const text = await this.#control("list_queues", "--no-table-headers", "--vhost", host, "name", "messages");
    const queues = text.split("\n").flatMap((line) => {
      const [name = "", messages = ""] = line.trim().split(/\s+/);
      return name === "" ? [] : [{ name, messages: Number(messages) }];
    });
    const sum = (of: typeof queues): number => of.reduce((total, { messages }) => total + messages, 0);
    return {
      // Includes the observer's queues, because messages in them are not in `events` yet.
      waiting: sum(queues.filter(({ name }) => !name.endsWith(".dlq"))),
      dead: sum(queues.filter(({ name }) => name.endsWith(".dlq"))),
    };
  }
}
