import { AppError, type Caller } from "@appserver/kernel";
import { isPlatformHook, possibleOwners } from "../domain/hook-name.ts";
import type { HookSources } from "../ports.ts";
import type { HooksContext } from "./context.ts";
import { ownerOf } from "./hook-owner.ts";

/** What an app must hold on another app to get its hooks. */
const permission = "hook:subscribe";

/** For each hook, the names of other apps that the app may have it of, whether these exist yet or not. */
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

function maySubscribe({ policy, permissions }: HooksContext, appName: string, owner: string): Promise<boolean> {
  if (!policy.subscribeNeedsPermission) return Promise.resolve(true);
  return permissions.allowed(asCaller(appName), permission, owner);
}

/** Writes what the app's permissions allow to its subscriptions: what it lost since is no longer delivered. */
export async function refreshSources(context: HooksContext, appName: string): Promise<void> {
  const hookNames = await context.subscriptions.hooksOf(appName);
  if (hookNames.length > 0) await context.subscriptions.permit(appName, await permittedSources(context, appName, hookNames));
}

/**
 * Refuses with PERMISSION_DENIED hooks of other apps that the app may not have. The app that a hook will belong to need not
 * exist yet: then one of the apps that it could belong to must be permitted.
 */
export async function requireSources(context: HooksContext, appName: string, sources: HookSources): Promise<void> {
  for (const [hookName, permitted] of sources) {
    if (isPlatformHook(hookName)) continue;
    const owner = await ownerOf(context, hookName);
    if (owner?.name === appName || (!owner && possibleOwners(hookName).includes(appName))) continue;
    if (owner ? permitted.includes(owner.name) : permitted.length > 0) continue;
    const wanted = owner?.name ?? possibleOwners(hookName)[0] ?? hookName;
    const message = `app:${appName} may have ${hookName} only with the permission ${permission} on ${wanted}`;
    throw new AppError("PERMISSION_DENIED", message, { details: { permission, owner: wanted, hook: hookName } });
  }
}

/** Whether the app's answer to `app.on_create` decides about installations. */
export function mayVeto({ permissions }: HooksContext, appName: string): Promise<boolean> {
  return permissions.allowed(asCaller(appName), "app:veto");
}

function asCaller(name: string): Caller {
  return { kind: "app", name, id: "" };
}
