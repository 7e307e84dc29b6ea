import { defaultAutoUpgrade } from "@appserver/contracts/settings";
import { isAppError } from "@appserver/kernel";
import type { AppRecord, Problem, Release } from "../domain/app.ts";
import { isInstalled } from "../domain/app-state.ts";
import { upgradesByItself } from "../domain/auto-upgrade.ts";
import type { LiveApp } from "../domain/live-app.ts";
import { type MarketplaceContext, problemOf } from "./context.ts";
import { switchTo } from "./upgrade-app.ts";

/** The actor of switches that the platform starts by itself. */
const actor = "system:auto-upgrade";

export interface AutomaticUpgrade {
  /** The app after the upgrade began. Undefined if none was started. */
  readonly app?: AppRecord;
  /** Why an upgrade that the app's setting asks for was refused. */
  readonly refusal?: Problem;
}

/**
 * Switches an installed app to the newer release that is registered, if the app's setting `app.auto_upgrade` allows it
 * (docs/interface/settings.md#platform-settings). With `registeredSince`, only to one that was registered after that time.
 * Does not reject. Must not be called under the app's lock.
 */
export async function upgradeAutomatically(
  context: MarketplaceContext,
  name: string,
  { registeredSince }: { readonly registeredSince?: Date } = {},
): Promise<AutomaticUpgrade> {
  try {
    const live = await context.apps.current(name);
    const release = live && (await nextRelease(context, live));
    if (!release || (registeredSince && release.registeredAt <= registeredSince)) return {};
    // No user reviewed which other apps the new version needs.
    const request = { name, version: release.version, withDependencies: false };
    const { app } = await switchTo(context, request, "upgrade", actor);
    return { app };
  } catch (error) {
    const details = { err: error, app: name };
    if (isAppError(error)) context.logger.info(details, "an automatic upgrade was refused");
    else context.logger.error(details, "an automatic upgrade failed");
    return { refusal: problemOf(error) };
  }
}

/** Returns the registered release that the app should switch to by itself. */
async function nextRelease(context: MarketplaceContext, { app, manifest }: LiveApp): Promise<Release | undefined> {
  if (app.availableDigest === undefined || !isInstalled(app.state)) return undefined;
  const releases = await context.store.releases(app.id);
  const release = releases.find(({ manifestDigest }) => manifestDigest === app.availableDigest);
  const declared = defaultAutoUpgrade(manifest.settings?.definitions ?? []);
  const rule = (await context.autoUpgrades.find(app.id)) ?? declared ?? "none";
  return release && upgradesByItself(rule, app, release) ? release : undefined;
}
