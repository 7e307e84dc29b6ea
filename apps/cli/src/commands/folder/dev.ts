import { loadManifest, readAppKeys } from "@appserver/sdk";
import { failureText } from "../../failure.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { note, print } from "../../output.ts";
import { showEvents } from "../events.ts";
import { printHooks } from "../hooks/listen.ts";
import { showLogs } from "../logs.ts";
import { FolderDeployment } from "./deploy.ts";
import { folderTarget } from "./deploy-target.ts";
import { devPlatformAt, withProcesses } from "./dev-platform.ts";
import { developThroughTunnel } from "./dev-through-tunnel.ts";
import { FolderChanges } from "./folder-changes.ts";

export interface DevFlags {
  /** Whether to leave the app on the platform as it is, and only send the user's own requests to this machine. */
  readonly tunnel: boolean;
}

/** Runs the app of a folder, and takes each change into use. Ends with the process. */
export async function developFolder(options: GlobalOptions, folder: string, { tunnel }: DevFlags): Promise<void> {
  const dev = tunnel ? undefined : await devPlatformAt(options.http);
  if (!dev) {
    await developThroughTunnel(options, folder);
    return;
  }
  const target = folderTarget(withProcesses(dev));
  // Before the first deployment, so that no change is missed.
  const changes = new FolderChanges(folder, { warn: (text) => note(`appctl: ${text}`) });
  const deployment = new FolderDeployment(options, target, folder, { isShown: false, hints: [] });
  let isFollowed = false;
  const take = async (): Promise<void> => {
    const startedAt = performance.now();
    try {
      const { name, version, url } = await deployment.run();
      print(`${name} ${version} serves after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s: ${url}`);
      if (!isFollowed) await follow(options, folder);
      isFollowed = true;
    } catch (error) {
      note(`appctl: ${failureText(error, options)}`);
    }
  };
  await take();
  await changes.each(take);
}

/** Prints what the app prints, the events that are about it, and the hooks that it triggers or receives, from now on. */
async function follow(options: GlobalOptions, folder: string): Promise<void> {
  const { name, hooks } = (await loadManifest(folder, await readAppKeys(folder))).manifest;
  const received = new Set(hooks.map(({ hookName }) => hookName));
  const concerns = (hookName: string): boolean => received.has(hookName) || hookName.startsWith(`${name}.`);
  const sources: Readonly<Record<string, () => Promise<void>>> = {
    logs: () => showLogs(options, name, { follow: true, since: "1s" }),
    events: () => showEvents(options, { follow: true, app: name, tail: 0 }),
    hooks: () => printHooks(options, { concerns }),
  };
  for (const [source, start] of Object.entries(sources))
    start().catch((error: unknown) => {
      note(`appctl: the ${source} end: ${failureText(error, options)}`);
    });
}
