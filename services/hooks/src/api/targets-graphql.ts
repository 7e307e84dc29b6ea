import { objectOf } from "@appserver/contracts/graphql";
import type {
  NotificationDelivery as DeliveryNode,
  MutationCreateNotificationTargetArgs,
  MutationUpdateNotificationTargetArgs,
  QueryNotificationDeliveriesArgs,
  NotificationTarget as TargetNode,
  NotificationTest as TestNode,
} from "@appserver/contracts/graphql/types";
import { type Call, connectionOf } from "@appserver/kernel";
import type { Delivery } from "../domain/delivery.ts";
import { targetOf, typeOf } from "../domain/targets/target.ts";
import { cursorOf } from "../use-cases/read-deliveries.ts";
import { createTarget, deleteTarget, updateTarget } from "../use-cases/targets/change-targets.ts";
import type { TargetsContext } from "../use-cases/targets/context.ts";
import { type ListedTarget, listTargetDeliveries, listTargets, withBacklog } from "../use-cases/targets/read-targets.ts";
import { resendTargetDelivery } from "../use-cases/targets/resend-delivery.ts";
import { testTarget } from "../use-cases/targets/test-target.ts";

/** Resolvers of the part of the schema about notification targets. They only translate. */
export function targetResolvers(context: TargetsContext) {
  return {
    Query: {
      notificationTargets: async (_: unknown, __: unknown, call: Call) => (await listTargets(context, call)).map(targetNode),
      notificationDeliveries: async (_: unknown, args: QueryNotificationDeliveriesArgs, call: Call) => {
        const { targetId, status, first, after } = args;
        const request = { targetId, status: status ?? undefined, first: first ?? undefined, after: after ?? undefined };
        const page = await listTargetDeliveries(context, request, call);
        return { ...connectionOf(page, after, { cursor: cursorOf, node: deliveryNode }), count: page.totalCount };
      },
    },
    Mutation: {
      createNotificationTarget: async (_: unknown, args: MutationCreateNotificationTargetArgs, call: Call) => {
        const { name, kind, url, addresses, types } = args;
        const command = {
          name,
          kind,
          url: url ?? undefined,
          addresses: addresses ?? undefined,
          types: types ?? undefined,
        };
        const { target, secret } = await createTarget(context, command, call);
        return { target: targetNode(await withBacklog(context, target)), secret: secret ?? null };
      },
      updateNotificationTarget: async (_: unknown, args: MutationUpdateNotificationTargetArgs, call: Call) => {
        const { id, name, url, addresses, types, isEnabled } = args;
        const command = {
          id,
          name: name ?? undefined,
          url: url ?? undefined,
          addresses: addresses ?? undefined,
          types,
          isEnabled: isEnabled ?? undefined,
        };
        const target = await updateTarget(context, command, call);
        return targetNode(await withBacklog(context, target));
      },
      deleteNotificationTarget: (_: unknown, { id }: { readonly id: string }, call: Call) => deleteTarget(context, id, call),
      testNotificationTarget: async (_: unknown, { id }: { readonly id: string }, call: Call): Promise<TestNode> =>
        objectOf(await testTarget(context, id, call)),
      resendNotificationDelivery: async (_: unknown, { id }: { readonly id: string }, call: Call) =>
        deliveryNode(await resendTargetDelivery(context, id, call)),
    },
    NotificationDeliveryConnection: {
      totalCount: (connection: { readonly count: () => Promise<number> }) => connection.count(),
    },
  };
}

function targetNode({ dead, types, ...target }: ListedTarget): TargetNode {
  return objectOf({ ...target, deadLetters: dead, types: types as TargetNode["types"] });
}

function deliveryNode({ appName, hookName, ...delivery }: Delivery): DeliveryNode {
  return objectOf({ ...delivery, targetId: targetOf(appName) ?? "", type: typeOf(hookName) as DeliveryNode["type"] });
}
