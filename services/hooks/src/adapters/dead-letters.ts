import { eventBody } from "@appserver/contracts/events";
import { type Clock, type Problem, uuidv7 } from "@appserver/kernel";
import type { EventEnvelope, Outbox, Transaction } from "@appserver/kernel/ports";
import type { EventSubject } from "../ports.ts";

export interface DeadLetterWriter {
  readonly outbox: Outbox;
  /** CloudEvents source of this process. */
  readonly source: string;
  readonly clock: Clock;
}

/** A delivery that the caller's transaction makes DEAD. */
export interface DeadLetter {
  readonly deliveryId: string;
  readonly subscriber: EventSubject;
  readonly event: {
    readonly id: string;
    readonly hookName: string;
    readonly sourceApp: string | undefined;
    readonly traceparent: string | undefined;
  };
  /** Number of times that it was sent. */
  readonly attempts: number;
  readonly error: Problem | undefined;
}

/** Appends `hook.dead_lettered` for each of them (docs/interface/events.md#types). Never includes the data of the hook. */
export async function announceDead(
  tx: Transaction,
  { outbox, source, clock }: DeadLetterWriter,
  letters: readonly DeadLetter[],
): Promise<void> {
  if (letters.length === 0) return;
  const at = new Date(clock.now()).toISOString();
  await outbox.append(
    tx,
    letters.map((letter) => envelope(letter, at, source)),
  );
}

function envelope({ deliveryId, subscriber, event, attempts, error }: DeadLetter, at: string, source: string): EventEnvelope {
  return {
    id: uuidv7(),
    type: "hook.dead_lettered",
    source,
    subject: subscriber.name,
    time: at,
    ...(event.traceparent === undefined ? {} : { traceparent: event.traceparent }),
    body: {
      ...eventBody<"hook.dead_lettered">(subscriber, at, {
        deliveryId,
        hookId: event.id,
        hookName: event.hookName,
        sourceApp: event.sourceApp ?? null,
        attempts,
        error: error ?? null,
      }),
    },
  };
}
