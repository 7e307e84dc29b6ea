import { defaultAutoUpgrade } from "@appserver/contracts/settings";
import { expectedError, isAppError, type Problem } from "@appserver/kernel";
import type { AppRecord, Release } from "../domain/app.ts";
import { isInstalled } from "../domain/app-state.ts";
import { upgradesByItself } from "../domain/auto-upgrade.ts";
import { BusyAppError } from "../domain/busy-app.ts";
import type { LiveApp } from "../domain/live-app.ts";
import { OutdatedAppError } from "../domain/outdated-app.ts";
import type { MarketplaceContext } from "./context.ts";
import { onCurrentApp } from "./on-current-app.ts";
import { problemOf } from "./problem-of.ts";
import { switchTo } from "./switch/index.ts";

/** The actor of switches that the platform starts by itself. */
const actor = "system:auto-upgrade";

export interface AutomaticUpgrade {
  /** The app after the upgrade began. Unchanged if it was decided before. */
  readonly app?: AppRecord;
  /** Why an upgrade that the app's setting asks for was refused. */
  readonly refusal?: Problem;
}

/**
 * Switches an installed app to the newer release that is registered, if the app's setting `app.auto_upgrade` allows it
 * (docs/interface/settings.md#platform-settings). Decides once for each release: the decision and the switch are one transaction.
 * While the app is INSTALLING or switches, and while another command works on it, the decision waits. Does not reject. Must not be called
 * under the app's lock.
 */
export async function upgradeAutomatically(context: MarketplaceContext, name: string): Promise<AutomaticUpgrade> {
  let digest: string | undefined;
  try {
    const live = await context.apps.current(name);
    digest = live?.app.releaseAwaitingAutoUpgrade;
    if (!live || digest === undefined || live.app.state === "INSTALLING") return live ? { app: live.app } : {};
    const release = await nextRelease(context, live);
    if (release) {
      // No user reviewed which other apps the new version needs.
      const request = { name, version: release.version, withDependencies: false };
      return { app: (await switchTo(context, request, "upgrade", { actor, origin: "platform" })).app };
    }
    await decide(context, name, digest);
    return {};
  } catch (error) {
    const details = { err: error, app: name };
    if (isAppError(error)) context.logger.info(details, "marketplace: an automatic upgrade was refused");
    else context.logger.error(details, "marketplace: an automatic upgrade failed");
    if (digest !== undefined && !mayPass(error)) await decide(context, name, digest);
    return { refusal: problemOf(error) };
  }
}

/** Returns whether the same upgrade may succeed later without any change of the app. */
function mayPass(error: unknown): boolean {
  if (error instanceof BusyAppError || error instanceof OutdatedAppError) return true;
  return expectedError(error)?.code === "SERVICE_UNAVAILABLE";
}

/**
 * Stores that the release needs no further decision. During an installation or a switch the decision waits for its end. Does
 * not reject.
 */
async function decide(context: MarketplaceContext, name: string, digest: string): Promise<void> {
  await onCurrentApp(async () => {
    const app = await context.store.findByName(name);
    if (!app || app.target || app.state === "INSTALLING" || app.releaseAwaitingAutoUpgrade !== digest) return;
    const next = { ...app, releaseAwaitingAutoUpgrade: undefined };
    await context.store.save({ app: next, expectedRowVersion: app.rowVersion, events: [] });
  }).catch((error: unknown) => {
    context.logger.warn(
      { err: error, app: name },
      "marketplace: could not store the decision on an automatic upgrade; retrying",
    );
  });
}

/** Returns the registered release that the app should switch to by itself. */
async function nextRelease(context: MarketplaceContext, { app, manifest }: LiveApp): Promise<Release | undefined> {
  if (app.releaseAwaitingAutoUpgrade !== app.availableDigest || !isInstalled(app.state)) return undefined;
  const releases = await context.store.releases(app.id);
  const release = releases.find(({ manifestDigest }) => manifestDigest === app.releaseAwaitingAutoUpgrade);
  const declared = defaultAutoUpgrade(manifest.settings?.definitions ?? []);
  const rule = (await context.settings.autoUpgrade(app.id)) ?? declared ?? "none";
  return release && upgradesByItself(rule, app, release) ? release : undefined;
}
