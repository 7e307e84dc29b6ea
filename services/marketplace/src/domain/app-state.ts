import { asleepReason, disabledReason, type Unavailability } from "@appserver/contracts/manifest";
import { AppError } from "@appserver/kernel";

/** States of an app (docs/interface/states.md#app-states). */
export type AppState =
  | "REGISTERED"
  | "INSTALLING"
  | "INSTALLED"
  | "RUNNING"
  | "UNHEALTHY"
  | "FAILED"
  | "UNINSTALLING"
  | "UNINSTALLED";

export type AppTrigger =
  | "install"
  | "installed"
  | "healthy"
  | "unhealthy"
  | "healed"
  | "exhausted"
  | "failed"
  | "uninstall"
  | "uninstalled";

/** The only table of transitions (docs/interface/states.md#app-transitions). */
const transitions: Readonly<Record<AppTrigger, { readonly from: readonly AppState[]; readonly to: AppState }>> = {
  install: { from: ["REGISTERED", "UNINSTALLED", "FAILED"], to: "INSTALLING" },
  installed: { from: ["INSTALLING"], to: "INSTALLED" },
  healthy: { from: ["INSTALLED", "UNHEALTHY"], to: "RUNNING" },
  unhealthy: { from: ["RUNNING"], to: "UNHEALTHY" },
  healed: { from: ["FAILED"], to: "RUNNING" },
  exhausted: { from: ["UNHEALTHY"], to: "FAILED" },
  failed: { from: ["INSTALLING", "INSTALLED"], to: "FAILED" },
  uninstall: { from: ["INSTALLED", "RUNNING", "UNHEALTHY", "FAILED"], to: "UNINSTALLING" },
  uninstalled: { from: ["UNINSTALLING"], to: "UNINSTALLED" },
};

export function canTransition(from: AppState, trigger: AppTrigger): boolean {
  return transitions[trigger].from.includes(from);
}

/** Returns the state after `trigger`. Throws INVALID_STATE with both states if the table does not allow the transition. */
export function nextState(appName: string, from: AppState, trigger: AppTrigger): AppState {
  const { to } = transitions[trigger];
  if (!canTransition(from, trigger)) {
    throw new AppError("INVALID_STATE", `${appName} is ${from} and cannot become ${to}`, {
      details: { app: appName, from, to },
    });
  }
  return to;
}

/** The states of an installed app. `states: [INSTALLED]` in a filter matches all of them. */
export const installedStates: readonly AppState[] = ["INSTALLED", "RUNNING", "UNHEALTHY"];

export function isInstalled(state: AppState): boolean {
  return installedStates.includes(state);
}

/** The properties of an app on which the rules below depend. */
export interface AppStatus {
  readonly state: AppState;
  /** Undefined if no installation of the app has ever succeeded, or if it was uninstalled since. */
  readonly installedAt: Date | undefined;
}

/** Returns whether callers see the app as installed, even if it cannot serve requests now. */
export function isKnown({ state }: AppStatus): boolean {
  return state !== "REGISTERED" && state !== "UNINSTALLED";
}

/** Returns whether the app's pages and assets are served. */
export function isServed({ state }: AppStatus): boolean {
  return isInstalled(state);
}

/** Returns whether the app has a deployment. An app that failed after its installation keeps it, with the reason. */
export function shouldRun(app: AppStatus): boolean {
  return isInstalled(app.state) || hasFailedInstalled(app);
}

/**
 * Returns whether the registration may be deleted. An app that failed after its installation has a deployment: it must be
 * uninstalled first.
 */
export function isDeletable(app: AppStatus): boolean {
  return app.state === "REGISTERED" || app.state === "UNINSTALLED" || (app.state === "FAILED" && !hasFailedInstalled(app));
}

/** Returns whether workers may take runs. A backend starts before the platform marks the app as installed. */
export function runsActivities({ state }: AppStatus): boolean {
  return isInstalled(state) || state === "INSTALLING" || state === "FAILED";
}

/** Returns whether deliveries for the app are kept. They are, from its installation until it is uninstalled. */
export function keepsDeliveries(app: AppStatus): boolean {
  return isKnown(app) && (app.state !== "FAILED" || hasFailedInstalled(app));
}

/** Returns whether the app's signatures are accepted. An app whose installations all failed never got that far. */
export function mayAuthenticate(app: AppStatus): boolean {
  return keepsDeliveries(app);
}

/** Returns whether settings may be written. Values that are written during an uninstallation would remain after a purge. */
export function acceptsSettings({ state }: AppStatus): boolean {
  return state !== "UNINSTALLING" && state !== "UNINSTALLED";
}

/**
 * Returns where requests to a known app go (docs/interface/proxy.md#paths): to `backend`, or nowhere. Its state does not matter
 * while its container is replaced. `backend` is undefined while there is no address.
 */
export function upstreamBy<Backend extends object>(
  {
    state,
    enabled,
    asleepSince,
  }: { readonly state: AppState; readonly enabled: boolean; readonly asleepSince?: Date | undefined },
  backend: Backend | undefined,
  isReplaced: boolean,
): Backend | Unavailability {
  if (!enabled) return { unavailable: disabledReason };
  if (isReplaced) return { unavailable: "upgrading", isBuffered: true };
  if (state !== "RUNNING") return { unavailable: state.toLowerCase() };
  if (asleepSince) return { unavailable: asleepReason, isAsleep: true };
  return backend ?? { unavailable: "starting" };
}

function hasFailedInstalled({ state, installedAt }: AppStatus): boolean {
  return state === "FAILED" && installedAt !== undefined;
}

/** Widens a filter: INSTALLED also matches RUNNING and UNHEALTHY (docs/interface/states.md#installed-filter). */
export function expandStates(states: readonly AppState[]): readonly AppState[] {
  return [...new Set(states.flatMap((state) => (state === "INSTALLED" ? installedStates : [state])))];
}
