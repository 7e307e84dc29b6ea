import { eventTypesAffecting } from "@appserver/contracts/events";
import { oncePerObject } from "@appserver/kernel";
import type { EventEnvelope } from "@appserver/kernel/ports";
import type { AppNotification, AppNotifications, AppState } from "@appserver/marketplace";
import type { EventFanout } from "@appserver/transports/events";

/** Types of events about changes of an app that clients can watch. */
export const appNotificationTypes = eventTypesAffecting("appSubscription");

/** Returns changes of apps for subscriptions, from the replica's event fan-out (docs/interface/events.md#app-subscription). */
export function appNotifications(fanout: EventFanout): AppNotifications {
  const notificationOf = oncePerObject(
    (event: EventEnvelope): AppNotification => ({
      appName: event.subject,
      state: event.type === "app.state_changed" ? (event.body["to"] as AppState) : undefined,
    }),
  );
  return {
    changes: async function* (signal) {
      for await (const event of fanout.subscribe(appNotificationTypes, { signal, filter })) yield notificationOf(event);
    },
  };
}

/** The state transition of a first registration is reported already. */
function filter(event: EventEnvelope): boolean {
  return event.type !== "app.registered" || event.body["isUpdate"] === true;
}
