import { eventTypesAffecting } from "@appserver/contracts/events";
import type { SettingsNotifications } from "@appserver/settings";
import { type EventFanout, SubscriptionOverflowError } from "@appserver/transports/events";

/** Types of events that can change the settings of an app or their schema. */
export const settingsNotificationTypes = eventTypesAffecting("settings");

/** Returns changes of settings from the replica's event fan-out. */
export function settingsNotifications(fanout: EventFanout): SettingsNotifications {
  return {
    changes: (appName, signal) => {
      const subscribe = () =>
        fanout.subscribe(settingsNotificationTypes, { signal, filter: ({ subject }) => subject === appName });
      // Subscribes at once, not on the first `next`: events in between count.
      const first = subscribe();
      return (async function* () {
        for (let events = first; !signal.aborted; events = subscribe()) {
          try {
            for await (const _ of events) yield;
            return;
          } catch (error) {
            // Watchers read the current state, so one event replaces all events that they missed.
            if (!(error instanceof SubscriptionOverflowError)) throw error;
            yield;
          }
        }
      })();
    },
  };
}
