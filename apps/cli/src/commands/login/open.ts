import type { GlobalOptions } from "../../global-options.ts";
import { readJson } from "../../http.ts";
import { print } from "../../output.ts";
import { Refusal } from "../../refusal.ts";
import { openBrowser } from "./open-browser.ts";

/** Opens the console, or the page of an app. */
export async function openPage(
  options: GlobalOptions,
  name: string | undefined,
  { browser }: { readonly browser: boolean },
): Promise<void> {
  const url = addressOf(options.http, name === undefined ? "/console" : await pathOf(options, name));
  print(url);
  if (browser) openBrowser(url);
}

/**
 * Returns the address of a path on the platform. Throws if a platform names another one: the desktop opens any address, also files and
 * those of other programs.
 */
export function addressOf(http: string, path: string): string {
  const url = URL.parse(path, http);
  if (url?.origin === new URL(http).origin && /^https?:$/.test(url.protocol)) return url.href;
  throw new Error(`the platform named ${JSON.stringify(path)}, which is no address on ${http}`);
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
    if (error instanceof Refusal && error.status === 404) return `/console/apps/${encodeURIComponent(name)}`;
    throw error;
  }
}
