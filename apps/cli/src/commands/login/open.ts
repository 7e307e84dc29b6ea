import type { GlobalOptions } from "../../global-options.ts";
import { print } from "../../output.ts";
import { readJson } from "../../rest.ts";
import { RestFailure } from "../../rest-failure.ts";
import { openBrowser } from "./open-browser.ts";

/** Opens the console, or the page of an app. */
export async function openPage(
  options: GlobalOptions,
  name: string | undefined,
  { browser }: { readonly browser: boolean },
): Promise<void> {
  const url = new URL(name === undefined ? "/console" : await pathOf(options, name), options.http).href;
  print(url);
  if (browser) openBrowser(url);
}

/** The console has a page for an app that has none, or none for the caller. */
async function pathOf(options: GlobalOptions, name: string): Promise<string> {
  try {
    const { routeBase } = await readJson<{ readonly routeBase: string }>(
      options,
      `/api/v2/apps/${encodeURIComponent(name)}/page`,
    );
    return routeBase;
  } catch (error) {
    if (error instanceof RestFailure && error.status === 404) return `/console/apps/${encodeURIComponent(name)}`;
    throw error;
  }
}
