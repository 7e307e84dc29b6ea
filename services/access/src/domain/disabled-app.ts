import { disabledReason } from "@appserver/contracts/manifest";
import { Rejection } from "@appserver/kernel";

/** Refuses a disabled app. Call it only after the caller's key was verified (docs/interface/states.md#disabled-apps). */
export function refuseDisabled(appName: string, { isDisabled = false }: { readonly isDisabled?: boolean }): void {
  if (!isDisabled) return;
  throw new Rejection("PERMISSION_DENIED", "app_disabled", `${appName} is disabled.`, {
    details: { app: appName, reason: disabledReason },
  });
}
