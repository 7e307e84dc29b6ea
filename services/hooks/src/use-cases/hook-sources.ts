import { isPlatformHook } from "@appserver/contracts/names";
import { AppError, type Caller, type MaybePromise } from "@appserver/kernel";
import { possibleOwners } from "../domain/hook-name.ts";
import type { HookSources } from "../ports.ts";
import type { HooksContext } from "./context.ts";
import { ownerOf } from "./hook-owner.ts";

/** The permission that an app needs on another app to get its hooks. */
const permission = "hook:subscribe";

/** Returns, for each hook, the other apps from which the app may receive it, whether they exist yet or not. */
export async function permittedSources(
  context: HooksContext,
  appName: string,
  hookNames: readonly string[],
): Promise<HookSources> {
  const known = new Map<string, boolean>();
  const sources = new Map<string, readonly string[]>();
  for (const hookName of hookNames) {
    const owners = isPlatformHook(hookName) ? [] : possibleOwners(hookName).filter((owner) => owner !== appName);
    for (const owner of owners) if (!known.has(owner)) known.set(owner, await maySubscribe(context, appName, owner));
    sources.set(
      hookName,
      owners.filter((owner) => known.get(owner)),
    );
  }
  return sources;
}

function maySubscribe({ policy, permissions }: HooksContext, appName: string, owner: string): MaybePromise<boolean> {
  if (!policy.subscribeNeedsPermission) return true;
  return permissions.allowed(asCaller(appName), permission, owner);
}

/**
 * Stores the sources that the permissions of an app, or of every subscriber, allow now. Hooks of sources that it lost are no longer
 * delivered.
 */
export async function refreshSources(context: HooksContext, appName?: string): Promise<void> {
  for (const [subscriber, hookNames] of await context.subscriptions.subscribed(appName)) {
    try {
      await context.subscriptions.permit(subscriber, await permittedSources(context, subscriber, hookNames));
    } catch (error) {
      context.logger.warn({ err: error, app: subscriber }, "hooks: could not read the permissions of a subscriber; retrying");
    }
  }
}

/**
 * Throws PERMISSION_DENIED for hooks of other apps that the app may not receive. If the app that a hook belongs to does not
 * exist yet, one of its possible owners must be permitted.
 */
export async function requireSources(context: HooksContext, appName: string, sources: HookSources): Promise<void> {
  for (const [hookName, permitted] of sources) {
    if (isPlatformHook(hookName)) continue;
    const owner = await ownerOf(context, hookName);
    if (owner?.name === appName || (!owner && possibleOwners(hookName).includes(appName))) continue;
    if (owner ? permitted.includes(owner.name) : permitted.length > 0) continue;
    const wanted = owner?.name ?? possibleOwners(hookName)[0] ?? hookName;
    const message = `app:${appName} may subscribe to ${hookName} only with the permission ${permission} on ${wanted}`;
    throw new AppError("PERMISSION_DENIED", message, { details: { permission, owner: wanted, hook: hookName } });
  }
}

/** Whether the app's response to `app.on_create` can refuse installations. */
export function mayVeto({ permissions }: HooksContext, appName: string): MaybePromise<boolean> {
  return permissions.allowed(asCaller(appName), "app:veto");
}

function asCaller(name: string): Caller {
  return { kind: "app", name, id: "" };
}
