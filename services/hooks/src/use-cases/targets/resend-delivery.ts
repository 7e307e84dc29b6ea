import { AppError, type Call, earlierReceipt, userAuditEntry } from "@appserver/kernel";
import type { Delivery } from "../../domain/delivery.ts";
import { targetOf } from "../../domain/targets/target.ts";
import { isDeliveryId } from "../read-deliveries.ts";
import { requireTargetPermission, type TargetsContext } from "./context.ts";

/** Sends a finished delivery to a target again, with all its retries. Throws NOT_FOUND, and INVALID_STATE if it is not finished. */
export async function resendTargetDelivery(context: TargetsContext, id: string, call: Call): Promise<Delivery> {
  await requireTargetPermission(context, call);
  const delivery = await find(context, id);
  if (earlierReceipt()) return delivery;
  const { status, eventId, appName } = delivery;
  const target = `notification-target:${targetOf(appName)}`;
  const entry = userAuditEntry(call, { action: "notification.resend", target, details: { deliveryId: id, eventId } });
  if (!(await context.deliveries.resend(id, entry)))
    throw new AppError("INVALID_STATE", `delivery ${id} is ${status} and will be sent anyway`, { details: { id, status } });
  return await find(context, id);
}

async function find({ deliveryReads }: TargetsContext, id: string): Promise<Delivery> {
  const delivery = isDeliveryId(id) ? await deliveryReads.find(id) : undefined;
  if (delivery && targetOf(delivery.appName) !== undefined) return delivery;
  const shown = id.slice(0, 64);
  const message = `there is no delivery ${JSON.stringify(shown)} to a notification target`;
  throw new AppError("NOT_FOUND", message, { details: { id: shown } });
}
