import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { send } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import * as operations from "../../generated/operations.ts";

/** With all attempts of each delivery, more would exceed the cost of an operation (docs/interface/graphql.md#limits). */
const pageSize = 40;
const pollMs = 5_000;

export type Target = operations.TargetFragment;
export type TargetDelivery = operations.TargetDeliveryFragment;
export type NewTarget = operations.CreateTargetMutationVariables;
export type CreatedTarget = operations.CreateTargetMutation["createNotificationTarget"];

export const targetsQuery = queryOptions({
  queryKey: ["notifications", "targets"],
  queryFn: async () => (await send(operations.NotificationTargetsDocument, {})).notificationTargets,
  refetchInterval: pollMs,
});

/** Read again every 5 s for each page that is shown. */
export function targetDeliveriesQuery(targetId: string, status: operations.DeliveryStatus | undefined) {
  const filter = { targetId, status: status ?? null };
  return infiniteQueryOptions({
    queryKey: ["notifications", "deliveries", filter],
    queryFn: async ({ pageParam: after }) =>
      (await send(operations.NotificationDeliveriesDocument, { ...filter, first: pageSize, after })).notificationDeliveries,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
    refetchInterval: ({ state }) => pollMs * (state.data?.pages.length ?? 1),
  });
}

export async function createTarget(target: NewTarget): Promise<CreatedTarget> {
  const { createNotificationTarget } = await send(operations.CreateTargetDocument, target);
  await readAgain();
  return createNotificationTarget;
}

export async function enableTarget(id: string, isEnabled: boolean): Promise<void> {
  await send(operations.EnableTargetDocument, { id, isEnabled });
  await readAgain();
}

export async function deleteTarget(id: string): Promise<void> {
  await send(operations.DeleteTargetDocument, { id });
  await readAgain();
}

/** Returns what became of the message. */
export async function testTarget(id: string): Promise<operations.TestTargetMutation["testNotificationTarget"]> {
  return (await send(operations.TestTargetDocument, { id })).testNotificationTarget;
}

export async function resendDelivery(id: string): Promise<void> {
  await send(operations.ResendNotificationDocument, { id });
  await readAgain();
}

function readAgain(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ["notifications"] });
}
