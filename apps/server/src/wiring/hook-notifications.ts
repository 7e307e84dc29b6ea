import { eventTypesAffecting } from "@appserver/contracts/events";
import type { HookNotifications, HookTrigger } from "@appserver/hooks";
import type { EventEnvelope } from "@appserver/kernel/ports";
import type { EventFanout } from "@appserver/transports/events";

export const hookNotificationTypes = eventTypesAffecting("hookSubscription");

/** Returns triggered hooks from the replica's event fan-out. */
export function hookNotifications(fanout: EventFanout): HookNotifications {
  return {
    triggered: (signal, hookNames) => {
      const filter = ({ body }: EventEnvelope): boolean => hookNames === undefined || hookNames.has(String(body["hookName"]));
      const events = fanout.subscribe(hookNotificationTypes, { signal, filter });
      return (async function* () {
        for await (const event of events) yield toTrigger(event);
      })();
    },
  };
}

function toTrigger({ body, time, actor, traceparent }: EventEnvelope): HookTrigger {
  const sourceApp = body["sourceApp"];
  return {
    id: String(body["hookId"]),
    hookName: String(body["hookName"]),
    sourceApp: typeof sourceApp === "string" ? sourceApp : undefined,
    data: body["data"],
    triggeredAt: time,
    triggeredBy: actor,
    traceparent,
  };
}
