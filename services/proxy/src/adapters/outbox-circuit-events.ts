import { eventBody } from "@appserver/contracts/events";
import { uuidv7 } from "@appserver/kernel";
import type { Database, EventEnvelope, Outbox } from "@appserver/kernel/ports";
import type { CircuitChange, CircuitEvents } from "../ports.ts";

export interface CircuitEventsDeps {
  readonly database: Pick<Database, "transaction">;
  readonly outbox: Outbox;
  /** CloudEvents source of this process. */
  readonly source: string;
  /** Names this process to people: host and process id. */
  readonly replica: string;
}

/** Returns the port that appends `circuit.opened` and `circuit.closed` to the outbox. */
export function createCircuitEvents({ database, outbox, source, replica }: CircuitEventsDeps): CircuitEvents {
  const envelope = ({ app, at, opening }: CircuitChange): EventEnvelope => {
    const time = at.toISOString();
    const common = { id: uuidv7(), source, subject: app.name, time };
    return opening
      ? {
          ...common,
          type: "circuit.opened",
          body: { ...eventBody<"circuit.opened">(app, time, { replica, ...opening }) },
        }
      : { ...common, type: "circuit.closed", body: { ...eventBody<"circuit.closed">(app, time, { replica }) } };
  };
  return { append: (changes) => database.transaction((tx) => outbox.append(tx, changes.map(envelope))) };
}
