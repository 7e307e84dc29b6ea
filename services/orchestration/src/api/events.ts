import { eventTypes, readEventApp } from "@appserver/contracts/events";
import type { Broker, Subscription } from "@appserver/kernel/ports";
import type { Hints } from "../ports.ts";

/**
 * Takes `app.installed` and `app.uninstalled` from the queues that all orchestrators share, and passes each on as a hint:
 * what is installed is read anew, so a forged event starts nothing (specification §6.4, design/security).
 */
export async function consumeAppEvents(broker: Broker, prefix: string, hints: Hints): Promise<Subscription> {
  const types = [eventTypes.appInstalled, eventTypes.appUninstalled];
  return await broker.consume({ prefix, types }, async ({ event }) => {
    const { name } = readEventApp(event.body);
    // Specification §6.1: without the app's name it cannot be processed, and ends among the dead letters.
    if (name === undefined) throw new Error(`event ${event.id} of type ${event.type} names no app`);
    await hints.raise(name);
  });
}
