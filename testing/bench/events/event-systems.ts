import { RabbitBroker } from "@appserver/broker-rabbitmq";
import { SqlOutbox, SystemClock, silentLogger, uuidv7 } from "@appserver/kernel";
import type { EventEnvelope } from "@appserver/kernel/ports";
import type { ProductionServices } from "@appserver/testing/kit/production";
import type { EventSystem } from "../open-loop.ts";

/** A type of event of each system, whose fields are as small as those of most. */
const types = { outbox: "settings.updated", bare: "activity.executed" } as const;
type Name = keyof typeof types;

/** A consumer of queues of its own, and two ways to it: through the platform's outbox, and directly to RabbitMQ. */
export class EventSystems {
  readonly #services: ProductionServices;
  readonly #broker: RabbitBroker;
  readonly #outbox = new SqlOutbox();
  readonly #open: Partial<Record<Name, EventSystem>> = {};

  private constructor(services: ProductionServices) {
    const url = services.environment["APPSERVER_RABBITMQ_URL"] ?? "";
    this.#services = services;
    this.#broker = new RabbitBroker({ url, clock: new SystemClock(), logger: silentLogger, prefetch: 500, maxRetries: 5 });
  }

  static async open(services: ProductionServices): Promise<EventSystems> {
    const systems = new EventSystems(services);
    await systems.#broker.start();
    await systems.#broker.consume({ prefix: "bench.subscriber.", types: Object.values(types) }, async ({ event }) => {
      const name = event.type === types.outbox ? "outbox" : "bare";
      systems.#open[name]?.onDelivery(Number(event.body["number"]));
    });
    return systems;
  }

  /** Each trigger is one transaction with this number of events, or one confirmed batch. */
  system(name: Name, eventsEach: number): EventSystem {
    const send = (events: readonly EventEnvelope[]): Promise<void> => {
      if (name === "bare") return this.#broker.publish(events);
      return this.#services.database.transaction((tx) => this.#outbox.append(tx, events));
    };
    const system: EventSystem = {
      subscribers: eventsEach,
      onDelivery: () => {},
      onFailure: () => {},
      trigger: (number) => send(Array.from({ length: eventsEach }, (_, index) => eventOf(types[name], number, index))),
    };
    this.#open[name] = system;
    return system;
  }

  async close(): Promise<void> {
    await this.#broker.stop();
  }
}

/** The events of a trigger are of different apps: those of one app are delivered in order. */
function eventOf(type: string, number: number, index: number): EventEnvelope {
  const subject = `test.events${(number * 7 + index) % 100}`;
  const time = new Date().toISOString();
  return {
    id: uuidv7(),
    type,
    source: "/appserver/bench",
    subject,
    time,
    body: { AppName: subject, app_name: subject, number },
  };
}
