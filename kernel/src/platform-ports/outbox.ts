import type { EventEnvelope } from "./broker.ts";
import type { Transaction } from "./database.ts";

/** Events that leave only if, and surely if, the transaction that wrote them commits (design/reliability promise 1). */
export interface Outbox {
  append(tx: Transaction, events: readonly EventEnvelope[]): Promise<void>;
}
