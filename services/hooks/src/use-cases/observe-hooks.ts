import { type Call, requirePermission } from "@appserver/kernel";
import { checkHookName } from "../domain/hook-name.ts";
import type { HookTrigger } from "../ports.ts";
import type { HooksContext } from "./context.ts";
import { isOwnerOfAll } from "./hook-owner.ts";

/**
 * Yields hooks triggered from now on, of the given names or of all (empty), for people who watch. Nothing is stored or
 * acknowledged. Needs `hook:view`; an app may watch its own hooks.
 */
export async function observeHooks(
  context: HooksContext,
  hookNames: readonly string[],
  call: Call,
): Promise<AsyncIterable<HookTrigger>> {
  for (const [index, name] of hookNames.entries()) checkHookName(name, `hook_names[${index}]`);
  if (!(await isOwnerOfAll(context, call.caller, hookNames))) await requirePermission(context.permissions, call, "hook:view");
  return context.notifications.triggered(call.signal, hookNames.length === 0 ? undefined : new Set(hookNames));
}
