import { eventTypesAffecting, readEventApp } from "@appserver/contracts/events";
import type { Logger } from "@appserver/kernel";
import type { Broker, Subscription } from "@appserver/kernel/ports";
import { applyDeployment } from "../use-cases/apply-deployment.ts";
import type { MarketplaceContext } from "../use-cases/context.ts";

/** Consumes `deployment.state_changed` from the shared queue. One replica handles each event. */
export function consumeDeployments(
  broker: Broker,
  prefix: string,
  context: MarketplaceContext,
  logger: Logger,
): Promise<Subscription> {
  return broker.consume({ prefix, types: eventTypesAffecting("appStates") }, async ({ event }) => {
    const { name } = readEventApp(event.body);
    // An event without an app name is rejected and becomes a dead letter (docs/interface/events.md#body).
    if (name === undefined) throw new Error(`event ${event.id} of type ${event.type} names no app`);
    logger.debug({ app: name, eventId: event.id }, "marketplace: a deployment changed");
    await applyDeployment(context, name);
  });
}
