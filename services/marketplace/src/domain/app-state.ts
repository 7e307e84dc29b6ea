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

/** Widens a filter: INSTALLED also matches RUNNING and UNHEALTHY (docs/interface/states.md#installed-filter). */
export function expandStates(states: readonly AppState[]): readonly AppState[] {
  return [...new Set(states.flatMap((state) => (state === "INSTALLED" ? installedStates : [state])))];
}
