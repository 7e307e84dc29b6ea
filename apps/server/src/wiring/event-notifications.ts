import { systemEventOf, systemEventSources } from "@appserver/contracts/events";
import { type SystemEventNotifications, systemEventRecord } from "@appserver/records";
import type { EventFanout } from "@appserver/transports/events";

/** Types of events on the bus that people can watch. */
export const eventNotificationTypes = systemEventSources;

/** Returns the events that people see from the replica's event fan-out. */
export function eventNotifications(fanout: EventFanout): SystemEventNotifications {
  return {
    published: (signal, { types, appName }) => {
      const events = fanout.subscribe(eventNotificationTypes, {
        signal,
        filter: (event) =>
          (appName === undefined || event.subject === appName) &&
          (types === undefined || types.includes(systemEventOf(event)?.type ?? "")),
      });
      return (async function* () {
        for await (const event of events) {
          const presented = systemEventOf(event);
          if (presented) yield systemEventRecord(event, presented);
        }
      })();
    },
  };
}
