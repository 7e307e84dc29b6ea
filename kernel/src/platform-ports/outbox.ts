import type { EventEnvelope } from "./broker.ts";
import type { Transaction } from "./database.ts";

/** Stores events that are sent if and only if their transaction commits (docs/interface/events.md#outbox). */
export interface Outbox {
  append(tx: Transaction, events: readonly EventEnvelope[]): Promise<void>;
}
