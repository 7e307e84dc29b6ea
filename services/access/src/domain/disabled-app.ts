import { Refusal } from "@appserver/kernel";

/** Refuses an app that an operator has disabled. Only the holder of its key learns that (docs/interface/states.md#enabled). */
export function refuseDisabled(appName: string, { isDisabled = false }: { readonly isDisabled?: boolean }): void {
  if (!isDisabled) return;
  throw new Refusal("PERMISSION_DENIED", "app_disabled", `${appName} is disabled.`, {
    details: { app: appName, reason: "disabled" },
  });
}
