import { AppError, auditedUser, type Caller, invalidField, requirePermission } from "@appserver/kernel";
import type { Delivery } from "../domain/delivery.ts";
import { checkHookName } from "../domain/hook-name.ts";
import type { HooksContext } from "./context.ts";
import { isOwnerOfAll } from "./hook-owner.ts";
import { requireDelivery } from "./read-deliveries.ts";

/**
 * Sends a finished delivery again, with all its retries: DEAD, DROPPED or DELIVERED. Users need `hook:trigger`; an app may
 * resend deliveries to it or from it. Throws NOT_FOUND, and INVALID_STATE if the delivery is not finished.
 */
export async function resendDelivery(context: HooksContext, caller: Caller, id: string): Promise<Delivery> {
  const delivery = await requireDelivery(context, id);
  const isConcerned = caller.kind === "app" && (delivery.appName === caller.name || delivery.sourceApp === caller.name);
  if (!isConcerned) await requirePermission(context.permissions, caller, "hook:trigger");
  if (!(await context.deliveries.resend(id, auditedUser(caller))))
    throw new AppError("INVALID_STATE", `delivery ${id} is ${delivery.status} and will be sent anyway`, {
      details: { id, status: delivery.status },
    });
  return requireDelivery(context, id);
}

export interface RecoverCommand {
  readonly hookName: string;
  readonly since: Date;
  /** Default: now. */
  readonly until?: Date | undefined;
}

/** Sends every DEAD delivery of a hook again whose event was triggered from `since` up to `until`. Returns their number. */
export async function recoverDeliveries(context: HooksContext, caller: Caller, command: RecoverCommand): Promise<number> {
  const { hookName, since, until = new Date(context.clock.now()) } = command;
  checkHookName(hookName, "hook_name");
  if (!(await isOwnerOfAll(context, caller, [hookName]))) await requirePermission(context.permissions, caller, "hook:trigger");
  if (!(since < until)) throw invalidField("since", "must be before until");
  return context.deliveries.recover(hookName, since, until, auditedUser(caller));
}
