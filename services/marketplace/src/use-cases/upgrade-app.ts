import { type Call, initiatorOf, requirePermission } from "@appserver/kernel";
import type { MarketplaceContext } from "./context.ts";
import { earlierResult } from "./earlier-result.ts";
import type { CommandResult } from "./operation.ts";
import { switchTo, type VersionRequest } from "./switch/index.ts";

/**
 * Switches an installed app to a newer registered version (docs/interface/states.md#switch). Resolves when the switch has
 * started; the operation shows when it has ended. Apps without a container have already switched then.
 *
 * Throws PERMISSION_DENIED, NOT_FOUND, INVALID_STATE, APPROVAL_REQUIRED, or CONFLICT if the app is already switching.
 */
export async function upgradeApp(context: MarketplaceContext, request: VersionRequest, call: Call): Promise<CommandResult> {
  await requirePermission(context.permissions, call, "app:install");
  const earlier = await earlierResult(context, request.name);
  if (earlier) return earlier;
  return switchTo(context, request, "upgrade", { ...initiatorOf(call.caller), caller: call.caller, origin: "caller" });
}

/**
 * Switches an installed app back to an earlier version that is kept. While the app is switching, cancels the switch instead.
 *
 * Throws PERMISSION_DENIED, NOT_FOUND, INVALID_STATE (also if a version in between migrated data irreversibly, or without the snapshot that
 * `withData` needs), or CONFLICT.
 */
export async function rollbackApp(context: MarketplaceContext, request: VersionRequest, call: Call): Promise<CommandResult> {
  await requirePermission(context.permissions, call, "app:install");
  if (request.withData) await requirePermission(context.permissions, call, "app:backup");
  const earlier = await earlierResult(context, request.name);
  if (earlier) return earlier;
  return switchTo(context, request, "rollback", { ...initiatorOf(call.caller), caller: call.caller, origin: "caller" });
}
