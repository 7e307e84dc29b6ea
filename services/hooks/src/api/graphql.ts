import type {
  HookEvent as GraphqlEvent,
  DeliveryStatus as GraphqlStatus,
  HookDelivery,
  HookTriggerResult,
} from "@appserver/contracts/graphql/types";
import { type Call, connectionOf, isAppError } from "@appserver/kernel";
import type { Delivery } from "../domain/delivery.ts";
import type { EventSummary, HookTrigger } from "../ports.ts";
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
interface EventNode extends Omit<GraphqlEvent, "data"> {
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
        return { ...connectionOf(page, after, { cursor: cursorOf, node: present }), count: page.totalCount };
      },
      hookEvents: async (_: unknown, args: EventsArguments, call: Call) => {
        const { hookName, appName, first, after } = args;
        const filter = { hookName: hookName ?? undefined, sourceApp: appName ?? undefined };
        const page = await listEvents(context, { filter, first: first ?? undefined, after: after ?? undefined }, call);
        const data = dataOf(context, page.items);
        const node = (event: EventSummary) => storedEvent(event, data);
        return { ...connectionOf(page, after, { cursor: eventCursorOf, node }), count: page.totalCount };
      },
      hookEvent: async (_: unknown, { id }: { readonly id: string }, call: Call) => {
        try {
          const event = await getEvent(context, id, call);
          return storedEvent(event, dataOf(context, [event]));
        } catch (error) {
          if (isAppError(error, "NOT_FOUND")) return null;
          throw error;
        }
      },
    },
    Mutation: {
      triggerHook: async (
        _: unknown,
        args: { readonly name: string; readonly data?: unknown },
        call: Call,
      ): Promise<Omit<HookTriggerResult, "deliveries">> => {
        const { eventId, hookName, deliveries } = await triggerHook(context, { name: args.name, data: args.data }, call);
        return { success: true, eventId, hookName, subscribers: deliveries.length, error: null };
      },
      resendHookDelivery: async (_: unknown, args: { readonly id: string }, call: Call) =>
        present(await resendDelivery(context, args.id, call)),
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
          for await (const item of await observeHooks(context, names, call)) yield presentEvent(item);
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
        (await readEventDeliveries(context, eventId)).map(present),
    },
  };
}

function present(delivery: Delivery): HookDelivery {
  const { id, eventId, hookName, appName, status, attempt } = delivery;
  return {
    id,
    eventId,
    hookName,
    appName,
    status,
    attempt,
    nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
    error: delivery.error ? { ...delivery.error, details: null } : null,
    updatedAt: delivery.updatedAt.toISOString(),
    attempts: delivery.attempts.map((each) => ({ ...each, at: each.at.toISOString(), error: each.error ?? null })),
  };
}

/** Returns a function that reads the data of these events, of all of them at its first call. */
function dataOf(context: HooksContext, events: readonly EventSummary[]): (id: string) => Promise<unknown> {
  let loading: ReturnType<typeof readEventData> | undefined;
  return async (id) => {
    loading ??= readEventData(
      context,
      events.map((event) => event.id),
    );
    return JSON.parse((await loading).get(id) ?? "null");
  };
}

function storedEvent(event: EventSummary, data: (id: string) => Promise<unknown>): EventNode {
  const { id, hookName, sourceApp = null, triggeredAt, triggeredBy, traceparent } = event;
  return {
    id,
    hookName,
    sourceApp,
    triggeredAt: triggeredAt.toISOString(),
    triggeredBy,
    traceId: traceIdOf(traceparent),
    readData: () => data(id),
  };
}

function presentEvent(item: HookTrigger): EventNode {
  const { id, hookName, data, triggeredAt, sourceApp = null, triggeredBy = null, traceparent } = item;
  return {
    id,
    hookName,
    sourceApp,
    triggeredAt,
    triggeredBy,
    traceId: traceIdOf(traceparent),
    readData: async () => data,
  };
}

function traceIdOf(traceparent: string | undefined): string | null {
  return traceparent?.split("-")[1] ?? null;
}
