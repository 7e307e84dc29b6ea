import { Connection } from "rabbitmq-client";

/** Runs `rabbitmqctl` and returns its output. */
type RabbitControl = (...args: string[]) => Promise<string>;

interface Message {
  readonly body?: unknown;
}

/**
 * When enabled, the broker copies every published and delivered message to this exchange
 * (https://www.rabbitmq.com/docs/firehose).
 */
const everything = "amq.rabbitmq.trace";

/** Observes a virtual host of RabbitMQ that only this test uses. */
export class RabbitObserver {
  readonly #connection: Connection;
  readonly #control: RabbitControl;
  readonly #host: string;
  readonly #seen: string[] = [];
  #close: () => Promise<void> = async () => {};

  private constructor(url: string, control: RabbitControl) {
    this.#connection = new Connection(url);
    this.#connection.on("error", () => {});
    this.#control = control;
    this.#host = decodeURIComponent(new URL(url).pathname.slice(1));
  }

  /** From now on keeps every event, and every message that goes through any exchange or queue. */
  static async open(url: string, control: RabbitControl): Promise<RabbitObserver> {
    const observer = new RabbitObserver(url, control);
    await observer.#open();
    return observer;
  }

  /** Every message seen so far, with its headers. */
  get messages(): string {
    return this.#seen.join("\n");
  }

  /** Messages in each queue that is not exclusive, including dead letters. They stay in the queue. */
  async queued(): Promise<Readonly<Record<string, string>>> {
    const text = await this.#control("list_queues", "--vhost", this.#host, "--formatter", "json", "name", "exclusive");
    const queues = (JSON.parse(text) as { name: string; exclusive: boolean }[]).filter(({ exclusive }) => !exclusive);
    return Object.fromEntries(await Promise.all(queues.map(async ({ name }) => [name, await this.#read(name)] as const)));
  }

  /** Exchanges, queues, bindings, policies and users of the server. */
  definitions(): Promise<string> {
    return this.#control("export_definitions", "-");
  }

  async stop(): Promise<void> {
    await this.#close();
    await this.#connection.close();
  }

  async #open(): Promise<void> {
    const exchange = "appserver.events";
    const consumer = this.#connection.createConsumer(
      {
        queueOptions: { exclusive: true },
        exchanges: [{ exchange, type: "topic", durable: true }],
        queueBindings: [exchange, everything].map((bound) => ({ exchange: bound, routingKey: "#" })),
        noAck: true,
      },
      (message) => void this.#seen.push(textOf(message)),
    );
    consumer.on("error", () => {});
    this.#close = () => consumer.close();
    await new Promise<void>((resolve) => consumer.on("ready", resolve));
    await this.#control("trace_on", "--vhost", this.#host);
  }

  async #read(queue: string): Promise<string> {
    const channel = await this.#connection.acquire();
    const texts: string[] = [];
    try {
      for (let message = await channel.basicGet({ queue }); message; message = await channel.basicGet({ queue }))
        texts.push(textOf(message));
    } finally {
      // Messages without an acknowledgement return to the queue.
      await channel.close();
    }
    return texts.join("\n");
  }
}

function textOf({ body, ...rest }: Message): string {
  const text = Buffer.isBuffer(body) ? body.toString("utf8") : typeof body === "string" ? body : JSON.stringify(body);
  return `${JSON.stringify(rest)} ${text}`;
}
