import { quote } from "@appserver/contracts/patterns";
import {
  AppError,
  type Call,
  type Caller,
  earlierReceipt,
  invalidField,
  requirePermission,
  userAuditEntry,
} from "@appserver/kernel";
import type { Delivery } from "../domain/delivery.ts";
import { checkHookName } from "../domain/hook-name.ts";
import { targetOf } from "../domain/targets/target.ts";
import type { HooksContext } from "./context.ts";
import { isOwnerOfAll } from "./hook-owner.ts";
import { isDeliveryId } from "./read-deliveries.ts";

/**
 * Sends a finished delivery again, with all its retries: DEAD, DROPPED or DELIVERED. Users need `hook:trigger`; an app may
 * resend deliveries to it or from it. Throws PERMISSION_DENIED before the caller can find out whether the delivery exists,
 * NOT_FOUND, and INVALID_STATE if the delivery is not finished.
 */
export async function resendDelivery(context: HooksContext, id: string, call: Call): Promise<Delivery> {
  const delivery = await find(context, id);
  if (!isConcerned(call.caller, delivery)) await requirePermission(context.permissions, call, "hook:trigger");
  if (!delivery) throw unknown(id);
  if (earlierReceipt()) return delivery;
  const { hookName, eventId, appName: subscriber, status } = delivery;
  const details = { deliveryId: id, eventId, subscriber };
  const entry = userAuditEntry(call, { action: "hook.resend", target: `hook:${hookName}`, details });
  if (!(await context.deliveries.resend(id, entry)))
    throw new AppError("INVALID_STATE", `delivery ${id} is ${status} and will be sent anyway`, { details: { id, status } });
  const resent = await find(context, id);
  if (!resent) throw unknown(id);
  return resent;
}

type Found = Awaited<ReturnType<HooksContext["deliveryReads"]["find"]>>;

async function find({ deliveryReads }: HooksContext, id: string): Promise<Found> {
  const found = isDeliveryId(id) ? await deliveryReads.find(id) : undefined;
  // Deliveries to notification targets have an operation of their own.
  return found && targetOf(found.appName) === undefined ? found : undefined;
}

/** Returns whether the delivery goes to the calling app or comes from it. */
function isConcerned(caller: Caller, delivery: Found): boolean {
  return caller.kind === "app" && (delivery?.appName === caller.name || delivery?.sourceApp === caller.name);
}

function unknown(id: string): AppError {
  return new AppError("NOT_FOUND", `there is no delivery ${quote(id)}`, { details: { id } });
}

export interface RecoverCommand {
  readonly hookName: string;
  readonly since: Date;
  /** Default: now. */
  readonly until?: Date | undefined;
}

/** Sends every DEAD delivery of a hook again whose event was triggered from `since` up to `until`. Returns their number. */
export async function recoverDeliveries(context: HooksContext, command: RecoverCommand, call: Call): Promise<number> {
  const { hookName, since, until = new Date(context.clock.now()) } = command;
  checkHookName(hookName, "hook_name");
  if (!(await isOwnerOfAll(context, call.caller, [hookName])))
    await requirePermission(context.permissions, call, "hook:trigger");
  const earlier = earlierReceipt()?.["recovered"];
  if (earlier !== undefined) return Number(earlier);
  if (!(since < until)) throw invalidField("since", "must be before until");
  return context.deliveries.recover({ hookName, since, until }, (recovered) => {
    const details = { since: since.toISOString(), until: until.toISOString(), recovered };
    return userAuditEntry(call, { action: "hook.recover", target: `hook:${hookName}`, details });
  });
}
