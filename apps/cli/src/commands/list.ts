import { AppState } from "@appserver/contracts/proto/appserver/v2/common";
import type { App } from "@appserver/contracts/proto/appserver/v2/marketplace";
import type { GlobalOptions } from "../global-options.ts";
import { appJson, appTable, print, printJson } from "../output.ts";
import { connect } from "../platform.ts";
import { UsageError } from "../usage-error.ts";

export async function listApps(options: GlobalOptions, states: readonly string[]): Promise<void> {
  const platform = connect(options);
  const apps: App[] = [];
  let pageToken = "";
  do {
    const page = await platform.marketplace.listApps({ states: states.map(parseState), pageSize: 250, pageToken });
    apps.push(...page.apps);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  if (options.json) printJson(apps.map(appJson));
  else print(apps.length === 0 ? "no apps are registered" : appTable(apps));
}

function parseState(text: string): AppState {
  const name = text.toUpperCase();
  const state = (AppState as unknown as Readonly<Record<string, AppState | string>>)[name];
  if (typeof state === "number" && state !== AppState.UNSPECIFIED) return state;
  const known = Object.keys(AppState).filter((key) => Number.isNaN(Number(key)) && key !== "UNSPECIFIED");
  throw new UsageError(`--state must be one of ${known.join(", ")}, got ${JSON.stringify(text)}`);
}
