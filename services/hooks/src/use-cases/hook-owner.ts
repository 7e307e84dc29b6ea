import { isPlatformHook } from "@appserver/contracts/names";
import type { Caller } from "@appserver/kernel";
import { possibleOwners } from "../domain/hook-name.ts";
import type { HookApp } from "../ports.ts";
import type { HooksContext } from "./context.ts";

/**
 * Returns the app that the hook belongs to: the one with the longest name that the hook's name begins with. Undefined for a
 * hook of the platform.
 */
export async function ownerOf({ apps }: Pick<HooksContext, "apps">, hookName: string): Promise<HookApp | undefined> {
  if (isPlatformHook(hookName)) return undefined;
  for (const name of possibleOwners(hookName)) {
    const app = await apps.get(name);
    if (app) return app;
  }
  return undefined;
}

/** Whether the caller is the app that owns all of these hooks. */
export async function isOwnerOfAll(
  context: Pick<HooksContext, "apps">,
  caller: Caller,
  hookNames: readonly string[],
): Promise<boolean> {
  if (caller.kind !== "app" || hookNames.length === 0) return false;
  for (const name of hookNames) if ((await ownerOf(context, name))?.name !== caller.name) return false;
  return true;
}
