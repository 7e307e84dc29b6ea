import { eventTypesAffecting } from "@appserver/contracts/events";
import type { AppNotifications, AppState } from "@appserver/marketplace";
import type { EventFanout } from "@appserver/transports/events";

/** Types of events about changes of an app that clients can watch. */
export const appNotificationTypes = eventTypesAffecting("appSubscription");

/** Returns changes of apps for subscriptions, from the replica's event fan-out (docs/interface/events.md#app-subscription). */
export function appNotifications(fanout: EventFanout): AppNotifications {
  return {
    changes: async function* (signal) {
      // The state transition of a first registration is reported already.
      const filter = (event: { readonly type: string; readonly body: Readonly<Record<string, unknown>> }): boolean =>
        event.type !== "app.registered" || event.body["isUpdate"] === true;
      for await (const event of fanout.subscribe(appNotificationTypes, { signal, filter })) {
        const state = event.type === "app.state_changed" ? (event.body["to"] as AppState) : undefined;
        yield { appName: event.subject, state };
      }
    },
  };
}
