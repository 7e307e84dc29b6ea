import { eventTypes } from "@appserver/contracts/events";
import type { SettingsNews } from "@appserver/settings";
import { type EventFanout, SubscriptionOverflowError } from "../listeners/events/index.ts";

/** Types after which the settings of an app, or its schema, may be others. */
export const settingsNewsTypes = [
  eventTypes.settingsUpdated,
  eventTypes.appRegistered,
  eventTypes.appUpgraded,
  eventTypes.appRolledBack,
] as const;

/** Live news of settings, out of the replica's event fan-out. */
export function settingsNews(fanout: EventFanout): SettingsNews {
  return {
    changes: (appName, signal) => {
      const subscribe = () => fanout.subscribe(settingsNewsTypes, { signal, filter: ({ subject }) => subject === appName });
      // Now, not when the first is asked for: what happens in between counts.
      const first = subscribe();
      return (async function* () {
        for (let events = first; !signal.aborted; events = subscribe()) {
          try {
            for await (const _ of events) yield;
            return;
          } catch (error) {
            // Watchers read what is so now: of events that they are behind with, one is as good as all.
            if (!(error instanceof SubscriptionOverflowError)) throw error;
            yield;
          }
        }
      })();
    },
  };
}
