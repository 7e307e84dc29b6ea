import type { Broker, Delivery, EventEnvelope, EventHandler } from "../platform-ports/broker.ts";
import type { Tracer } from "../platform-ports/tracer.ts";
import { runInTrace } from "./current-trace.ts";

/** Returns a broker whose consumers continue the trace of the event that they handle. */
export function tracedBroker(broker: Broker, tracer: Tracer): Broker {
  const { queueDepths } = broker;
  return {
    publish: (events) => broker.publish(events),
    consume: (options, handler) => broker.consume(options, tracedHandler(tracer, handler)),
    observe: (types, handler) => broker.observe(types, (event) => runInTrace(event.traceparent, () => handler(event))),
    deadLetters: (queue, limit) => broker.deadLetters(queue, limit),
    ping: (timeoutMs) => broker.ping(timeoutMs),
    ...(queueDepths && { queueDepths: () => queueDepths.call(broker) }),
  };
}

function tracedHandler(tracer: Tracer, handler: EventHandler): EventHandler {
  if (!tracer.enabled) return (delivery) => runInTrace(delivery.event.traceparent, () => handler(delivery));
  return async (delivery) => {
    const span = tracer.startSpan(`process ${delivery.event.type}`, spanOptions(delivery));
    try {
      await runInTrace(span.traceparent, () => handler(delivery));
    } catch (error) {
      span.recordError(error);
      throw error;
    } finally {
      span.end();
    }
  };
}

/** Returns span options with the names of OpenTelemetry's semantic conventions for messaging. */
function spanOptions({ event, queue, attempt }: Delivery): Parameters<Tracer["startSpan"]>[1] & object {
  return { parent: event.traceparent, kind: "consumer", attributes: attributesOf(event, queue, attempt) };
}

function attributesOf(event: EventEnvelope, queue: string, attempt: number): Record<string, string | number> {
  return {
    "messaging.operation.type": "process",
    "messaging.destination.name": queue,
    "messaging.message.id": event.id,
    "appserver.app": event.subject,
    "appserver.attempt": attempt,
  };
}
