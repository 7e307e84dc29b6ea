import { ask } from "../client.ts";
import { AppRowsDocument, type AppState, AppsDocument } from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { oneOf } from "../one-of.ts";
import { appTable, print, printJson } from "../output.ts";
import { type PageRequest, takeFromPages } from "../pages.ts";

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
  const filter = wanted.length === 0 ? {} : { states: wanted };
  const limit = Number.POSITIVE_INFINITY;
  if (options.json) {
    const read = async (page: PageRequest) => (await ask(options, AppsDocument, { ...page, ...filter })).apps;
    printJson(await takeFromPages({ limit, pageSize: 33 }, read));
    return;
  }
  const read = async (page: PageRequest) => (await ask(options, AppRowsDocument, { ...page, ...filter })).apps;
  const apps = await takeFromPages({ limit, pageSize: 120 }, read);
  print(apps.length === 0 ? "no apps are registered" : appTable(apps));
}
