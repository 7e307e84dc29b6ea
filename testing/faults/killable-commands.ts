import { type PlatformClient, registerApp } from "@appserver/sdk";
import { absent } from "./invariants.ts";
import type { AppCommand } from "./killed-commands.ts";
import type { ReleasedApp } from "./released-apps.ts";

/** The two versions of each app. */
export const [first, next] = ["1.0.0", "1.1.0"] as const;

const views = {
  registered: `REGISTERED ${first}`,
  uninstalled: `UNINSTALLED ${first}`,
  uninstalledOutdated: `UNINSTALLED ${first} <${next}`,
  installed: `RUNNING ${first}`,
  outdated: `RUNNING ${first} <${next}`,
  upgraded: `RUNNING ${next}`,
};

function command(
  name: string,
  { name: app, needsProcess }: ReleasedApp,
  from: readonly string[],
  to: string,
  run: (client: PlatformClient) => Promise<unknown>,
): AppCommand {
  return { name, app, needsProcess, from, to, run };
}

export function register(app: ReleasedApp): AppCommand {
  return command("register", app, [absent], views.registered, (client) => registerRelease(client, app, 0));
}

export function registerNext(app: ReleasedApp): AppCommand {
  const run = (client: PlatformClient): Promise<unknown> => registerRelease(client, app, 1);
  return command("register another version", app, [views.installed], views.outdated, run);
}

export function install(app: ReleasedApp): AppCommand {
  const { name } = app;
  const from = [views.registered, views.uninstalled];
  return command("install", app, from, views.installed, ({ marketplace }) => marketplace.installApp({ name }));
}

export function uninstall(app: ReleasedApp): AppCommand {
  const { name } = app;
  const run: AppCommand["run"] = ({ marketplace }) => marketplace.uninstallApp({ name });
  return command("uninstall", app, [views.installed], views.uninstalled, run);
}

export function upgrade(app: ReleasedApp): AppCommand {
  const { name } = app;
  const run: AppCommand["run"] = ({ marketplace }) => marketplace.upgradeApp({ name });
  return command("upgrade", app, [views.outdated], views.upgraded, run);
}

export function rollback(app: ReleasedApp): AppCommand {
  const { name } = app;
  const run: AppCommand["run"] = ({ marketplace }) => marketplace.rollbackApp({ name, version: first });
  return command("rollback", app, [views.upgraded], views.outdated, run);
}

function registerRelease(client: PlatformClient, { releases, token }: ReleasedApp, number: number): Promise<unknown> {
  const release = releases[number];
  if (!release) throw new Error(`there is no release ${number}`);
  return registerApp(client, release, token);
}

/** Like {@link install}, while another version is registered. */
export function installOutdated(app: ReleasedApp): AppCommand {
  return { ...install(app), from: [views.uninstalledOutdated], to: views.outdated };
}

/** Like {@link uninstall}, while another version is registered. */
export function uninstallOutdated(app: ReleasedApp): AppCommand {
  return { ...uninstall(app), from: [views.outdated], to: views.uninstalledOutdated };
}
