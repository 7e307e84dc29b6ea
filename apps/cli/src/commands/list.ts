import { ask } from "../client.ts";
import { type AppState, AppsDocument } from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { oneOf } from "../one-of.ts";
import { appTable, print, printJson } from "../output.ts";
import { takeFromPages } from "../pages.ts";

const appStates: readonly AppState[] = [
  "REGISTERED",
  "INSTALLING",
  "INSTALLED",
  "RUNNING",
  "UNHEALTHY",
  "FAILED",
  "UNINSTALLING",
  "UNINSTALLED",
];

export async function listApps(options: GlobalOptions, states: readonly string[]): Promise<void> {
  const wanted = states.flatMap((state) => oneOf(appStates, state, "--state") ?? []);
  const apps = await takeFromPages(Number.POSITIVE_INFINITY, async (page) => {
    return (await ask(options, AppsDocument, { ...page, states: wanted.length === 0 ? undefined : wanted })).apps;
  });
  if (options.json) printJson(apps);
  else print(apps.length === 0 ? "no apps are registered" : appTable(apps));
}
