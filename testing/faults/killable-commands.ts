import { registerApp } from "@appserver/sdk";
import { absent } from "./invariants.ts";
import { type AppCommand, ask, type View } from "./killed-commands.ts";
import { first, next, type ReleasedApp } from "./released-apps.ts";

const views = {
  registered: `REGISTERED ${first}`,
  uninstalled: `UNINSTALLED ${first}`,
  uninstalledOutdated: `UNINSTALLED ${first} <${next}`,
  installed: `RUNNING ${first}`,
  outdated: `RUNNING ${first} <${next}`,
  upgraded: `RUNNING ${next}`,
};

/** Returns the commands that lead the app from one view to another. */
export function commandsOf({ name, needsProcess, releases, token }: ReleasedApp) {
  type Run = AppCommand["run"];
  const command = (what: string, from: readonly View[], to: View, run: Run): AppCommand => {
    return { name: what, app: name, needsProcess, from, to, run };
  };
  const [one, other] = releases.map(
    (release): Run =>
      (platform) =>
        registerApp(platform.client(), release, token),
  );
  if (!one || !other) throw new Error(`${name} does not have two releases`);
  const mutate =
    (mutation: string): Run =>
    (platform) =>
      ask(platform, `mutation { ${mutation} { success } }`);
  const install = mutate(`installApp(name: "${name}")`);
  const uninstall = mutate(`uninstallApp(name: "${name}")`);
  const upgrade = mutate(`upgradeApp(name: "${name}")`);
  const rollback = mutate(`rollbackApp(name: "${name}", version: "${first}")`);
  return {
    register: command("register", [absent], views.registered, one),
    registerNext: command("register another version", [views.installed], views.outdated, other),
    install: command("install", [views.registered, views.uninstalled], views.installed, install),
    uninstall: command("uninstall", [views.installed], views.uninstalled, uninstall),
    upgrade: command("upgrade", [views.outdated], views.upgraded, upgrade),
    rollback: command("rollback", [views.upgraded], views.outdated, rollback),
    // The same commands while another version is registered.
    installOutdated: command("install", [views.uninstalledOutdated], views.outdated, install),
    uninstallOutdated: command("uninstall", [views.outdated], views.uninstalledOutdated, uninstall),
  };
}
