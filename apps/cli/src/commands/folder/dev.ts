import { watch } from "node:fs/promises";
import { sep } from "node:path";
import type { GlobalOptions } from "../../global-options.ts";
import { print } from "../../output.ts";
import { connect } from "../../platform.ts";
import { sleep } from "../../sleep.ts";
import { showLogs } from "../logs.ts";
import { FolderDeployment } from "./deploy.ts";
import { folderTarget } from "./deploy-target.ts";
import { findDevPlatform } from "./dev-platform.ts";

/** Editors write a file in several steps. */
const settleMs = 50;
/** What builds and tools write, and what is never part of an app. */
const ignored = /^(\.|node_modules$|__pycache__$|dist$|key\.pem$|certificate\.pem$)/;

/** Runs the app of a folder, takes each change into use, and prints what the app prints. Ends with the process. */
export async function developFolder(options: GlobalOptions, folder: string): Promise<void> {
  const target = folderTarget(await findDevPlatform(options.http));
  // Before the first deployment, so that no change is missed.
  const changes = new FolderChanges(folder);
  const deployment = new FolderDeployment(connect(options), target, folder, { isShown: false });
  const take = async (): Promise<string | undefined> => {
    const startedAt = performance.now();
    try {
      const { name, version, url } = await deployment.run();
      print(`${name} ${version} serves after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s: ${url}`);
      return name;
    } catch (error) {
      process.stderr.write(`appctl: ${messageOf(error)}\n`);
      return undefined;
    }
  };
  let isFollowed = false;
  for (;;) {
    const name = await take();
    if (name !== undefined && !isFollowed) {
      isFollowed = true;
      void followLogs(options, name);
    }
    await changes.next();
  }
}

async function followLogs(options: GlobalOptions, name: string): Promise<void> {
  try {
    await showLogs(options, name, { follow: true, since: "1s" });
  } catch (error) {
    process.stderr.write(`appctl: the logs end: ${messageOf(error)}\n`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The changes of the sources in a folder. */
class FolderChanges {
  #hasChanged = false;
  #notify: () => void = () => {};

  constructor(folder: string) {
    void this.#watch(folder);
  }

  /** Resolves after the next change, or at once if something has changed since the last call. */
  async next(): Promise<void> {
    if (!this.#hasChanged) await new Promise<void>((resolve) => (this.#notify = resolve));
    await sleep(settleMs);
    this.#hasChanged = false;
  }

  async #watch(folder: string): Promise<void> {
    for await (const { filename } of watch(folder, { recursive: true })) {
      if (filename?.split(sep).some((part) => ignored.test(part))) continue;
      this.#hasChanged = true;
      this.#notify();
    }
  }
}
