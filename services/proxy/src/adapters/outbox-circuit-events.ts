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

/** Appends `circuit.opened` and `circuit.closed` to the outbox. */
export class OutboxCircuitEvents implements CircuitEvents {
  readonly #deps: CircuitEventsDeps;

  constructor(deps: CircuitEventsDeps) {
    this.#deps = deps;
  }

  async append(changes: readonly CircuitChange[]): Promise<void> {
    const { database, outbox } = this.#deps;
    const events = changes.map((change) => this.#envelope(change));
    await database.transaction((tx) => outbox.append(tx, events));
  }

  #envelope({ app, at, opening }: CircuitChange): EventEnvelope {
    const { source, replica } = this.#deps;
    const time = at.toISOString();
    const common = { id: uuidv7(), source, subject: app.name, time };
    return opening
      ? {
          ...common,
          type: "circuit.opened",
          body: { ...eventBody<"circuit.opened">(app, time, { replica, ...opening }) },
        }
      : { ...common, type: "circuit.closed", body: { ...eventBody<"circuit.closed">(app, time, { replica }) } };
  }
}

/** Returns the port through which the proxy announces that circuits opened and closed. */
export function createCircuitEvents(deps: CircuitEventsDeps): CircuitEvents {
  return new OutboxCircuitEvents(deps);
}
