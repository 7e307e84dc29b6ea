import { eventTypesAffecting, readEventApp } from "@appserver/contracts/events";
import type { Broker, Subscription } from "@appserver/kernel/ports";

/**
 * Consumes the events that affect containers from the queues that all orchestrators share, and forwards each as a reconcile
 * request. The desired state is read again, so a forged event starts nothing (docs/interface/containers.md#events).
 */
export async function consumeAppEvents(
  broker: Broker,
  prefix: string,
  reconcile: (appName: string) => Promise<void>,
): Promise<Subscription> {
  const types = eventTypesAffecting("containers");
  return await broker.consume({ prefix, types }, async ({ event }) => {
    const { name } = readEventApp(event.body);
    // An event without an app name is rejected and becomes a dead letter (docs/interface/events.md#body).
    if (name === undefined) throw new Error(`event ${event.id} of type ${event.type} names no app`);
    await reconcile(name);
  });
}
