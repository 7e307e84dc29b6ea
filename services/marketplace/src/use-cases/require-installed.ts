import { AppError } from "@appserver/kernel";
import type { AppRecord } from "../domain/app.ts";
import { isInstalled } from "../domain/app-state.ts";
import type { LiveApp } from "../domain/live-app.ts";
import { describeRelease } from "../domain/planned-release.ts";

/** Throws INVALID_STATE unless the app is installed. `what` completes "only an installed app can …". */
export function requireInstalled({ name, state }: AppRecord, what: string): void {
  if (isInstalled(state)) return;
  const hint = state === "INSTALLING" || state === "UNINSTALLING" ? "" : "; install it first";
  throw new AppError("INVALID_STATE", `${name} is ${state}; only an installed app can ${what}${hint}`, {
    details: { app: name, state },
  });
}

/** Throws INVALID_STATE if the app is disabled. `what` completes "enable it before it can …". */
export function requireEnabled({ name, enabled }: AppRecord, what: string): void {
  if (enabled) return;
  throw new AppError("INVALID_STATE", `${name} is disabled; enable it before it can ${what}`, { details: { app: name } });
}

/** Throws CONFLICT while the app is switching to another release. */
export function requireNotSwitching({ name, target }: AppRecord): void {
  if (!target) return;
  throw new AppError("CONFLICT", `${name} is already switching to ${describeRelease(target)}`, {
    details: { app: name, target: target.version, operation: target.operationId },
  });
}

/** Throws INVALID_STATE unless the app is installed and enabled, and CONFLICT if it is switching to another release. Returns it. */
export function requireSwitchable(live: LiveApp): LiveApp {
  requireInstalled(live.app, "switch to another version");
  requireEnabled(live.app, "switch to another version");
  requireNotSwitching(live.app);
  return live;
}
