import { type EventPayloads, type EventType, eventBody } from "@appserver/contracts/events";
import { type Clock, uuidv7 } from "@appserver/kernel";
import type {
  AccessRequest,
  AccessRequests,
  Authorization,
  Outbox,
  RequestableApp,
  RequestableApps,
  Transaction,
} from "../../ports.ts";
import type { ChangeContext } from "../change-access.ts";
import type { ReadContext, Subject } from "../read-access.ts";

export interface RequestContext extends Omit<ReadContext, "authorization">, Omit<ChangeContext, "authorization" | "identity"> {
  readonly authorization: Pick<Authorization, "check" | "read" | "write">;
  readonly database: ChangeContext["database"] & ReadContext["database"];
  readonly requests: AccessRequests;
  readonly apps: RequestableApps;
  readonly outbox: Pick<Outbox, "append">;
  readonly clock: Pick<Clock, "now">;
  /** CloudEvents source of this process. */
  readonly source: string;
}

/** A request as people see it. */
export interface ShownRequest extends AccessRequest {
  readonly person: Subject;
  readonly appDisplayName: string;
}

type RequestEvent = Extract<EventType, "access.requested" | "access.decided">;

/** Stores an event about a request in the transaction of its change. */
export async function announce<T extends RequestEvent>(
  tx: Transaction,
  { outbox, source, clock }: Pick<RequestContext, "outbox" | "source" | "clock">,
  type: T,
  app: Pick<RequestableApp, "id" | "name" | "version">,
  fields: EventPayloads[T],
): Promise<void> {
  const time = new Date(clock.now()).toISOString();
  const body = { ...eventBody<T>(app, time, fields) };
  await outbox.append(tx, [{ id: uuidv7(), type, source, subject: app.name, time, body }]);
}
