import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RecordingTracer } from "@appserver/testing/kit";
import type { Broker, EventEnvelope, EventHandler } from "../platform-ports/broker.ts";
import { currentTraceparent } from "./current-trace.ts";
import { silentTracer } from "./silent-tracer.ts";
import { tracedBroker } from "./traced-broker.ts";

const inbound = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/** Passes published events to its consumers. */
class LoopBroker implements Broker {
  #handler: EventHandler = async () => {};
  #observer: (event: EventEnvelope) => void = () => {};

  async publish(events: readonly EventEnvelope[]): Promise<void> {
    for (const event of events) {
      this.#observer(event);
      await this.#handler({ event, attempt: 1, queue: "q" });
    }
  }

  async consume(_options: object, handler: EventHandler) {
    this.#handler = handler;
    return { close: async () => {} };
  }

  async observe(_types: readonly string[], handler: (event: EventEnvelope) => void) {
    this.#observer = handler;
    return { close: async () => {} };
  }

  async deadLetters() {
    return [];
  }

  async ping(): Promise<void> {}

  async queueDepths() {
    return [{ queue: "q", pending: 1, dead: 0 }];
  }
}

function event(traceparent?: string): EventEnvelope {
  const rest = { source: "/appserver/test", subject: "notes", time: "2026-01-01T00:00:00.000Z", body: {} };
  return { id: "1", type: "app.tested", ...rest, ...(traceparent !== undefined && { traceparent }) };
}

describe("traced broker", () => {
  test("handlers run in the trace of their event, even if nothing is recorded", async () => {
    const broker = tracedBroker(new LoopBroker(), silentTracer);
    const seen: (string | undefined)[] = [];
    await broker.observe(["app.tested"], () => seen.push(currentTraceparent()));
    await broker.consume({ prefix: "p", types: ["app.tested"] }, async () => {
      await Promise.resolve();
      seen.push(currentTraceparent());
    });
    await broker.publish([event(inbound), event()]);
    assert.deepEqual(seen, [inbound, inbound, undefined, undefined]);
    assert.deepEqual(await broker.queueDepths?.(), [{ queue: "q", pending: 1, dead: 0 }]);
  });

  test("a recorded delivery has its own span, which fails if the handler fails", async () => {
    const tracer = new RecordingTracer();
    const broker = tracedBroker(new LoopBroker(), tracer);
    const failure = new Error("not today");
    let seen: string | undefined;
    await broker.consume({ prefix: "p", types: ["app.tested"] }, async () => {
      seen = currentTraceparent();
      throw failure;
    });
    await assert.rejects(broker.publish([event(inbound)]), failure);
    const [span] = tracer.spans;
    assert.deepEqual([span?.name, span?.options.parent, span?.options.kind], ["process app.tested", inbound, "consumer"]);
    assert.deepEqual([seen, span?.error, span?.ended], [span?.traceparent, failure, 1]);
  });
});
