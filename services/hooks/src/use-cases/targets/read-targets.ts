import { type Call, invalidField, isUuid, pageOf, pageSize } from "@appserver/kernel";
import type { DeliveryStatus } from "../../domain/delivery.ts";
import type { NotificationTarget } from "../../domain/targets/target.ts";
import type { TargetBacklog } from "../../ports.ts";
import { type DeliveryPage, deliveryCursors } from "../read-deliveries.ts";
import { requireTargetPermission, type TargetsContext } from "./context.ts";

export interface ListedTarget extends NotificationTarget, TargetBacklog {}

const empty: TargetBacklog = { waiting: 0, dead: 0 };

/** Returns the targets by name. */
export async function listTargets(context: TargetsContext, call: Call): Promise<readonly ListedTarget[]> {
  await requireTargetPermission(context, call);
  const [targets, backlogs] = await Promise.all([context.targets.list(), context.targets.backlogs()]);
  return targets.map((target) => ({ ...target, ...(backlogs.get(target.id) ?? empty) }));
}

/** Adds the numbers of its deliveries to a target. */
export async function withBacklog({ targets }: TargetsContext, target: NotificationTarget): Promise<ListedTarget> {
  return { ...target, ...((await targets.backlogs()).get(target.id) ?? empty) };
}

export interface TargetDeliveriesRequest {
  readonly targetId: string;
  readonly status?: DeliveryStatus | undefined;
  readonly first?: number | undefined;
  readonly after?: string | undefined;
}

/** Returns one page of the deliveries to a target, newest first. */
export async function listTargetDeliveries(
  { deliveryReads, ...context }: TargetsContext,
  { targetId, status, first, after }: TargetDeliveriesRequest,
  call: Call,
): Promise<DeliveryPage> {
  await requireTargetPermission({ deliveryReads, ...context }, call);
  if (!isUuid(targetId)) throw invalidField("targetId", "must be the id of a notification target");
  const filter = { targetId, status };
  const size = pageSize(first);
  const found = await deliveryReads.list(filter, size + 1, deliveryCursors.read(after));
  return { ...pageOf(found, size), totalCount: () => deliveryReads.count(filter) };
}
