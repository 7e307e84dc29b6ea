import { objectOf } from "@appserver/contracts/graphql";
import type { SystemEvent, SystemEventType } from "@appserver/contracts/graphql/types";
import { type Call, connectionOf } from "@appserver/kernel";
import type { SystemEventRecord } from "../ports.ts";
import {
  followSystemEvents,
  readSystemEvent,
  readSystemEvents,
  type SystemEventsContext,
  type SystemEventsPage,
  type SystemEventsRequest,
  systemEventCursorOf,
} from "../use-cases/read-system-events.ts";

interface FollowArguments {
  readonly types?: readonly SystemEventType[] | null;
  readonly appName?: string | null;
  readonly after?: string | null;
}

/** Resolves the queries `systemEvents` and `systemEventById`, and the subscription `systemEvent`. */
export function eventResolvers(context: SystemEventsContext) {
  return {
    SystemEventConnection: {
      /** Computed only if the query selects it. */
      totalCount: ({ count }: { readonly count: SystemEventsPage["totalCount"] }) => count(),
    },
    Query: {
      systemEvents: async (_: unknown, args: SystemEventsRequest, call: Call) => {
        const page = await readSystemEvents(context, args, call);
        return {
          ...connectionOf(page, args.after, { cursor: systemEventCursorOf, node: presentEvent }),
          count: page.totalCount,
        };
      },
      systemEventById: async (_: unknown, { id }: { readonly id: string }, call: Call) => {
        const event = await readSystemEvent(context, id, call);
        return event ? presentEvent(event) : null;
      },
    },
    Subscription: {
      systemEvent: {
        subscribe: async (_: unknown, { types, appName, after }: FollowArguments, call: Call) =>
          nodes(await followSystemEvents(context, { types, appName, after: after ?? undefined }, call)),
      },
    },
  };
}

async function* nodes(events: AsyncIterable<SystemEventRecord>): AsyncGenerator<SystemEvent> {
  for await (const event of events) yield presentEvent(event);
}

/** Returns an event as GraphQL shows it. */
export function presentEvent(event: SystemEventRecord): SystemEvent {
  return objectOf({ ...event, type: event.type as SystemEventType, timestamp: event.at });
}
