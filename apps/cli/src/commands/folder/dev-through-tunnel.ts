import { randomUUID } from "node:crypto";
import { folderCommands, loadManifest, readAppKeys } from "@appserver/sdk";
import { failureText } from "../../failure.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { note, print } from "../../output.ts";
import { buildFolder } from "./build-folder.ts";
import { FolderChanges } from "./folder-changes.ts";
import { LocalBackend } from "./local-backend.ts";
import { keepTunnels } from "./tunnel.ts";

/**
 * Runs the backend of a folder on this machine, and sends the requests of the signed-in user to it, from any platform
 * (docs/interface/proxy.md#developer-tunnels). Each change starts the backend again. Ends with the process.
 */
export async function developThroughTunnel(options: GlobalOptions, folder: string): Promise<void> {
  // Files that a build writes are part of the manifest.
  await buildFolder(folder);
  const { name } = (await loadManifest(folder, await readAppKeys(folder))).manifest;
  const backend = new LocalBackend(options, folder, name, (code) =>
    report(new Error(`the backend has ended with exit code ${code}; the next change starts it again`)),
  );
  // The page is that of the platform.
  const except = folderCommands(folder).page ?? [];
  const changes = new FolderChanges(folder, { except, warn: (text) => note(`appctl: ${text}`) });
  const stop = (): void => void backend.stop().finally(() => process.exit());
  process.once("SIGINT", stop).once("SIGTERM", stop);
  try {
    await backend.start().catch(report);
    void changes.each(() =>
      buildFolder(folder)
        .then(() => backend.start())
        .then(() => print(`${name} runs again`), report),
    );
    const start = { appName: name, tunnelId: randomUUID(), forwardSecret: backend.forwardSecret };
    await keepTunnels(
      options,
      start,
      () => backend.connect(),
      (servers, { version }) => {
        const where = `${new URL(options.http).origin}/api/apps/${name}/`;
        const count = servers === 1 ? "1 server" : `${servers} servers`;
        print(`${where} (${version}): your own requests go to this machine, from ${count} of the platform`);
      },
    );
  } finally {
    changes.stop();
    await backend.stop();
  }

  function report(error: unknown): void {
    note(`appctl: ${failureText(error, options)}`);
  }
}
