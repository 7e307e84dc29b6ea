import type {
  DeliveryStatus as GraphqlStatus,
  HookDelivery,
  HookEvent,
  HookTriggerResult,
} from "@appserver/contracts/graphql/types";
import { type Call, connectionOf } from "@appserver/kernel";
import type { Delivery } from "../domain/delivery.ts";
import type { HookTrigger } from "../ports.ts";
import type { HooksContext } from "../use-cases/context.ts";
import { observeHooks } from "../use-cases/observe-hooks.ts";
import { cursorOf, listDeliveries, readEventDeliveries } from "../use-cases/read-deliveries.ts";
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
        return { ...connectionOf(page, after, { cursor: cursorOf, node: present }), count: page.totalCount };
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

function presentEvent(item: HookTrigger): HookEvent {
  const { id, hookName, data, triggeredAt } = item;
  const [, traceId] = item.traceparent?.split("-") ?? [];
  const { sourceApp = null, triggeredBy = null } = item;
  return { id, hookName, sourceApp, data, triggeredAt, triggeredBy, traceId: traceId ?? null };
}
