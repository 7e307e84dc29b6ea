import type {
  DeliveryStatus as GraphqlStatus,
  HookDelivery,
  HookEvent,
  HookTriggerResult,
} from "@appserver/contracts/graphql/types";
import { type Call, connectionOf, traceIdOf } from "@appserver/kernel";
import type { Delivery, TracedHookEvent } from "../domain/delivery.ts";
import type { HookTrigger } from "../ports.ts";
import type { HooksContext } from "../use-cases/context.ts";
import { observeHooks } from "../use-cases/observe-hooks.ts";
import { cursorOf, listDeliveries, readEventDeliveries } from "../use-cases/read-deliveries.ts";
import { readEventData } from "../use-cases/read-traced.ts";
import { recoverDeliveries, resendDelivery } from "../use-cases/replay-deliveries.ts";
import { triggerHook } from "../use-cases/trigger-hook.ts";

interface DeliveriesArguments {
  readonly hookName?: string | null;
  readonly appName?: string | null;
  readonly status?: GraphqlStatus | null;
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
        const { hookName, appName, status, first, after } = args;
        const page = await listDeliveries(
          context,
          {
            filter: { hookName: hookName ?? undefined, appName: appName ?? undefined, status: status ?? undefined },
            first: first ?? undefined,
            after: after ?? undefined,
          },
          call,
        );
        return { ...connectionOf(page, after, { cursor: cursorOf, node: presentDelivery }), count: page.totalCount };
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
          for await (const item of await observeHooks(context, names, call)) yield presentEvent(item);
        },
      },
    },
    // Read only if the query selects them.
    HookDeliveryConnection: {
      totalCount: (connection: { readonly count: () => Promise<number> }) => connection.count(),
    },
    HookEvent: {
      data: async (event: TracedEventNode): Promise<unknown> => {
        if ("data" in event) return event.data;
        const data = await readEventData(context, event.id);
        return data === undefined ? null : (JSON.parse(data) as unknown);
      },
    },
    HookTriggerResult: {
      deliveries: async ({ eventId }: Pick<HookTriggerResult, "eventId">) =>
        (await readEventDeliveries(context, eventId)).map(presentDelivery),
    },
  };
}

/** Returns a delivery as GraphQL shows it. */
export function presentDelivery(delivery: Delivery): HookDelivery {
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
    traceId: delivery.traceId ?? null,
  };
}

/** An event as GraphQL shows it. Without the property `data`, the data is read when it is selected. */
export type TracedEventNode = Omit<HookEvent, "data"> & { readonly data?: unknown };

/** Returns an event of a trace as GraphQL shows it. */
export function presentTracedEvent({ triggeredAt, ...event }: TracedHookEvent): TracedEventNode {
  return presentTrigger({ ...event, triggeredAt: triggeredAt.toISOString() });
}

function presentEvent(item: HookTrigger): HookEvent {
  return { ...presentTrigger(item), data: item.data };
}

function presentTrigger(item: Omit<HookTrigger, "data">): Omit<HookEvent, "data"> {
  const { id, hookName, triggeredAt, sourceApp = null, triggeredBy = null, traceparent } = item;
  return { id, hookName, sourceApp, triggeredAt, triggeredBy, traceId: traceparent ? traceIdOf(traceparent) : null };
}
