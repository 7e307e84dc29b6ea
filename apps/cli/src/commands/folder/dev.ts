import { folderCommands, loadManifest, readAppKeys } from "@appserver/sdk";
import { failureLines, failureText } from "../../failure.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { note, print } from "../../output.ts";
import { showEvents } from "../events.ts";
import { printHooks } from "../hooks/listen.ts";
import { showLogs } from "../logs.ts";
import { buildFolder } from "./build-folder.ts";
import { type Deployed, FolderDeployment } from "./deploy.ts";
import { folderTarget } from "./deploy-target.ts";
import { devPlatformAt, withProcesses } from "./dev-platform.ts";
import { developThroughTunnel } from "./dev-through-tunnel.ts";
import { FolderChanges } from "./folder-changes.ts";
import { localPaths } from "./local-paths.ts";
import { isBuiltByVite, PageBuild } from "./page-build.ts";

export interface DevFlags {
  /** Whether to leave the app on the platform as it is, and only send the user's own requests to this machine. */
  readonly tunnel: boolean;
  /** Whether to print the events of the app, and what its build prints. */
  readonly verbose: boolean;
}

/** Runs the app of a folder, and takes each change into use. Ends with the process. */
export async function developFolder(options: GlobalOptions, folder: string, { tunnel, verbose }: DevFlags): Promise<void> {
  const dev = tunnel ? undefined : await devPlatformAt(options.http);
  if (!dev) {
    await developThroughTunnel(options, folder);
    return;
  }
  const target = folderTarget(withProcesses(dev));
  const toLocal = localPaths(folder);
  let last: Deployed | undefined;
  let hasFailed = false;
  const report = (error: unknown): void => {
    hasFailed = true;
    note(`appctl: ${toLocal(failureLines(error, options))}`);
  };
  const page = isBuiltByVite(folder)
    ? new PageBuild(folder, {
        isVerbose: verbose,
        onBuilt: (tookMs) => changes.touch(performance.now() - tookMs),
        onProblem: report,
      })
    : undefined;
  // Before the first deployment, so that no change is missed. Vite watches what it builds by itself.
  const except = page ? (folderCommands(folder).page ?? []) : [];
  const changes = new FolderChanges(folder, { except, warn: (text) => note(`appctl: ${text}`) });
  const build = (): Promise<void> => (page ? page.ready() : buildFolder(folder, { isShown: verbose }));
  const deployment = new FolderDeployment(options, target, folder, { isShown: false, hints: [], build });
  const take = async (changedAt: number): Promise<void> => {
    try {
      const deployed = await deployment.run();
      const seconds = ((performance.now() - changedAt) / 1_000).toFixed(1);
      if (!last || deployed.isNew) print(doneText(deployed, last, seconds));
      else if (hasFailed) print(`${deployed.name} ${deployed.version} serves again what the folder has`);
      hasFailed = false;
      if (!last) await follow(options, folder, { verbose, toLocal });
      last = deployed;
    } catch (error) {
      // The page may have been incomplete. The end of its build is the next change.
      if (!last || !page?.isRunning) report(error);
    }
  };
  await take(performance.now());
  await changes.each(take);
}

function doneText({ name, version, url, imageDigest }: Deployed, last: Deployed | undefined, seconds: string): string {
  const isPage = last !== undefined && imageDigest !== undefined && imageDigest === last.imageDigest;
  return `${name} ${version} ${isPage ? "serves its new page" : "serves"} after ${seconds} s: ${url}`;
}

interface Followed {
  readonly verbose: boolean;
  readonly toLocal: (text: string) => string;
}

/**
 * Prints what the app prints, and the hooks that it triggers or receives, from now on. With `verbose`, also the events that are about it.
 */
async function follow(options: GlobalOptions, folder: string, { verbose, toLocal }: Followed): Promise<void> {
  const { name, hooks } = (await loadManifest(folder, await readAppKeys(folder))).manifest;
  const received = new Set(hooks.map(({ hookName }) => hookName));
  const concerns = (hookName: string): boolean => received.has(hookName) || hookName.startsWith(`${name}.`);
  const display = { textOf: toLocal, hidesStarts: !verbose };
  const sources: Readonly<Record<string, () => Promise<void>>> = {
    logs: () => showLogs(options, name, { follow: true, since: "1s" }, display),
    ...(verbose ? { events: () => showEvents(options, { follow: true, app: name, tail: 0 }) } : {}),
    hooks: () => printHooks(options, { concerns }),
  };
  for (const [source, start] of Object.entries(sources))
    start().catch((error: unknown) => {
      note(`appctl: the ${source} end: ${failureText(error, options)}`);
    });
}
