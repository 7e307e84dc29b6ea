import {
  AckResult,
  type HookEvent,
  type SubscribeRequest,
  SubscribeRequestSchema,
  type SubscribeResponse,
} from "@appserver/contracts/proto/appserver/v2/hooks";
import type { Caller } from "@appserver/kernel";
import { callBy } from "@appserver/testing/kit";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Hooks } from "../src/index.ts";

type Message = NonNullable<MessageInitShape<typeof SubscribeRequestSchema>["message"]>;
type Answer = keyof typeof AckResult | undefined;

export interface SubscriberOptions {
  readonly hookNames?: readonly string[];
  readonly maxInFlight?: number;
  /** The acknowledgement to send; undefined: none. */
  readonly answer?: (event: HookEvent) => Answer | Promise<Answer>;
}

/** A client of the method Subscribe in this process. */
export class Subscriber {
  readonly events: HookEvent[] = [];
  /** Resolves when the stream has ended. */
  readonly over: Promise<void>;
  readonly #requests: SubscribeRequest[] = [];
  readonly #abort = new AbortController();
  #wake: () => void = () => {};

  constructor(hooks: Hooks, caller: Caller, options: SubscriberOptions = {}) {
    const { hookNames = [], maxInFlight, answer = () => "SUCCESS" } = options;
    const value = { hookNames: [...hookNames], ...(maxInFlight === undefined ? {} : { maxInFlight }) };
    this.#send({ case: "start", value });
    const call = callBy(caller, { signal: this.#abort.signal });
    this.over = this.#read(hooks.grpc.subscribe(this.#outgoing(), call), answer);
    this.over.catch(() => {});
  }

  get ids(): readonly string[] {
    return this.events.map(({ id }) => id);
  }

  acknowledge(eventId: string, result: keyof typeof AckResult): void {
    this.#send({ case: "ack", value: { eventId, result: AckResult[result] } });
  }

  /** Disconnects without closing, as a crashed client does. */
  async vanish(): Promise<void> {
    this.#abort.abort();
    this.#wake();
    await this.over.catch(() => {});
  }

  async #read(events: AsyncIterable<SubscribeResponse>, answer: (event: HookEvent) => Answer | Promise<Answer>): Promise<void> {
    for await (const { event } of events) {
      if (!event) continue;
      this.events.push(event);
      void Promise.resolve(answer(event)).then((result) => {
        if (result !== undefined) this.acknowledge(event.id, result);
      });
    }
  }

  #send(message: Message): void {
    this.#requests.push(create(SubscribeRequestSchema, { message }));
    this.#wake();
  }

  async *#outgoing(): AsyncGenerator<SubscribeRequest> {
    while (!this.#abort.signal.aborted) {
      const next = this.#requests.shift();
      if (next) yield next;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
    throw new Error("the client disconnected");
  }
}
