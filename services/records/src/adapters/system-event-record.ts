import type { EventEnvelope, PresentedEvent, SystemEventRecord } from "../ports.ts";

/** Returns what people see of an event. Undefined if it is only for programs. */
export type Present = (event: EventEnvelope) => (PresentedEvent & { readonly isListed: boolean }) | undefined;

/** Subject of events that concern no app. */
const platformSubject = "appserver";

/** Returns the event as people read it. */
export function systemEventRecord(event: EventEnvelope, { type, severity, message, data }: PresentedEvent): SystemEventRecord {
  const { id, subject, time, traceparent, correlationId, sequence = 0, body } = event;
  const [, traceId] = traceparent?.split("-") ?? [];
  const actor = event.actor ?? body["actor"];
  return {
    id,
    type,
    severity,
    message,
    data,
    traceId,
    operationId: correlationId,
    sequence,
    appName: subject === platformSubject ? undefined : subject,
    at: new Date(time),
    actor: typeof actor === "string" ? actor : undefined,
  };
}
