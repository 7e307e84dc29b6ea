import { eventTypesAffecting } from "@appserver/contracts/events";
import type { HookNews, HookNewsItem } from "@appserver/hooks";
import type { EventEnvelope } from "@appserver/kernel/ports";
import type { EventFanout } from "@appserver/transports/events";

export const hooksNewsTypes = eventTypesAffecting("hookSubscription");

/** Returns triggered hooks from the replica's event fan-out. */
export function hooksNews(fanout: EventFanout): HookNews {
  return {
    triggered: (signal, hookNames) => {
      const filter = ({ body }: EventEnvelope): boolean => hookNames === undefined || hookNames.has(String(body["hookName"]));
      const events = fanout.subscribe(hooksNewsTypes, { signal, filter });
      return (async function* () {
        for await (const event of events) yield toItem(event);
      })();
    },
  };
}

function toItem({ body, time, actor, traceparent }: EventEnvelope): HookNewsItem {
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
