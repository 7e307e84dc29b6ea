import { objectOf } from "@appserver/contracts/graphql";
import type {
  HookEvent as GraphqlEvent,
  DeliveryStatus as GraphqlStatus,
  HookDelivery,
  HookTriggerResult,
} from "@appserver/contracts/graphql/types";
import { type Call, connectionOf, isAppError, traceIdOf } from "@appserver/kernel";
import type { Delivery, EventSummary } from "../domain/delivery.ts";
import type { HookTrigger } from "../ports.ts";
import type { HooksContext } from "../use-cases/context.ts";
import { observeHooks } from "../use-cases/observe-hooks.ts";
import { cursorOf, listDeliveries, readEventDeliveries } from "../use-cases/read-deliveries.ts";
import { eventCursorOf, getEvent, listEvents, readEventData } from "../use-cases/read-events.ts";
import { recoverDeliveries, resendDelivery } from "../use-cases/replay-deliveries.ts";
import { triggerHook } from "../use-cases/trigger-hook.ts";

interface EventsArguments {
  readonly hookName?: string | null;
  readonly appName?: string | null;
  readonly first?: number | null;
  readonly after?: string | null;
}

/** An event whose data is read when it is selected. */
export interface EventNode extends Omit<GraphqlEvent, "data"> {
  readonly readData: () => Promise<unknown>;
}

interface DeliveriesArguments {
  readonly hookName?: string | null;
  readonly appName?: string | null;
  readonly status?: GraphqlStatus | null;
  readonly eventId?: string | null;
  readonly first?: number | null;
  readonly after?: string | null;
}

interface TriggerArguments {
  readonly name: string;
  readonly data?: unknown;
  readonly orderingKey?: string | null;
}

/** Resolvers of the hooks' part of the schema. They only translate. */
export function hooksResolvers(context: HooksContext) {
  return {
    Query: {
      hookDeliveries: async (_: unknown, args: DeliveriesArguments, call: Call) => {
        const { hookName, appName, status, eventId, first, after } = args;
        const page = await listDeliveries(
          context,
          {
            filter: {
              hookName: hookName ?? undefined,
              appName: appName ?? undefined,
              status: status ?? undefined,
              eventId: eventId ?? undefined,
            },
            first: first ?? undefined,
            after: after ?? undefined,
          },
          call,
        );
        return { ...connectionOf(page, after, { cursor: cursorOf, node: presentDelivery }), count: page.totalCount };
      },
      hookEvents: async (_: unknown, args: EventsArguments, call: Call) => {
        const { hookName, appName, first, after } = args;
        const filter = { hookName: hookName ?? undefined, sourceApp: appName ?? undefined };
        const page = await listEvents(context, { filter, first: first ?? undefined, after: after ?? undefined }, call);
        const node = eventPresenter(context, page.items);
        return { ...connectionOf(page, after, { cursor: eventCursorOf, node }), count: page.totalCount };
      },
      hookEvent: async (_: unknown, { id }: { readonly id: string }, call: Call) => {
        try {
          const event = await getEvent(context, id, call);
          return eventPresenter(context, [event])(event);
        } catch (error) {
          if (isAppError(error, "NOT_FOUND")) return null;
          throw error;
        }
      },
    },
    Mutation: {
      triggerHook: async (
        _: unknown,
        { name, data, orderingKey }: TriggerArguments,
        call: Call,
      ): Promise<Omit<HookTriggerResult, "deliveries">> => {
        const request = { name, data, orderingKey: orderingKey ?? undefined };
        const { eventId, hookName, deliveries } = await triggerHook(context, request, call);
        return { success: true, eventId, hookName, subscribers: deliveries.length, error: null };
      },
      resendHookDelivery: async (_: unknown, args: { readonly id: string }, call: Call) =>
        presentDelivery(await resendDelivery(context, args.id, call)),
      recoverHookDeliveries: (
        _: unknown,
        args: { readonly hookName: string; readonly since: string; readonly until?: string | null },
        call: Call,
      ) =>
        recoverDeliveries(
          context,
          {
            hookName: args.hookName,
            since: new Date(args.since),
            until: args.until == null ? undefined : new Date(args.until),
          },
          call,
        ),
    },
    Subscription: {
      hookTriggered: {
        subscribe: async function* (_: unknown, args: { readonly hookName?: string | null }, call: Call) {
          const names = args.hookName == null ? [] : [args.hookName];
          for await (const item of await observeHooks(context, names, call)) yield eventNode(item, async () => item.data);
        },
      },
    },
    // Read only if the query selects them.
    HookEvent: {
      data: (event: EventNode) => event.readData(),
    },
    HookEventConnection: {
      totalCount: (connection: { readonly count: () => Promise<number> }) => connection.count(),
    },
    HookDeliveryConnection: {
      totalCount: (connection: { readonly count: () => Promise<number> }) => connection.count(),
    },
    HookTriggerResult: {
      deliveries: async ({ eventId }: Pick<HookTriggerResult, "eventId">) =>
        (await readEventDeliveries(context, eventId)).map(presentDelivery),
    },
  };
}

/** Returns a delivery as GraphQL shows it. */
export function presentDelivery(delivery: Delivery): HookDelivery {
  return objectOf(delivery);
}

/**
 * Returns what shows these events in GraphQL. Their data may be large: that of all of them is read when it is selected of one for the
 * first time.
 */
export function eventPresenter(context: HooksContext, events: readonly EventSummary[]): (event: EventSummary) => EventNode {
  let loading: ReturnType<typeof readEventData> | undefined;
  const read = async (id: string): Promise<unknown> => {
    loading ??= readEventData(
      context,
      events.map((event) => event.id),
    );
    return JSON.parse((await loading).get(id) ?? "null");
  };
  return (event) => eventNode(event, () => read(event.id));
}

function eventNode(event: Omit<HookTrigger, "data"> | EventSummary, readData: () => Promise<unknown>): EventNode {
  const { traceparent } = event;
  return objectOf({ ...event, traceId: traceparent && traceIdOf(traceparent), readData });
}
