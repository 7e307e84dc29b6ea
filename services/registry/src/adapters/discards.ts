import { rename, rm, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { Clock } from "@appserver/kernel";
import { linkTo, namesIn, setUsed, sizeOf, unlessMissing } from "./files.ts";

/** How long a file may be between both names before the process that moves it counts as killed. */
const patienceMs = 1_000;
const lookMs = 20;

/**
 * Removes files that were not used since a time, without a lock: a file is first moved aside, and comes back if a process has marked it as
 * used before. A process that marks it later finds that it does not exist. So a file that was marked is not removed.
 */
export class Discards {
  readonly #root: string;
  readonly #folder: string;
  readonly #clock: Clock;

  /** `folder` is for files on their way. */
  constructor(root: string, folder: string, clock: Clock) {
    this.#root = root;
    this.#folder = folder;
    this.#clock = clock;
  }

  /** Marks a file as used now. Returns false if it does not exist. */
  async mark(file: string): Promise<boolean> {
    const deadline = this.#clock.monotonic() + patienceMs;
    for (;;) {
      if (await setUsed(file, this.#clock.now())) return true;
      if ((await sizeOf(this.#asideOf(file))) === undefined) return await setUsed(file, this.#clock.now());
      if (this.#clock.monotonic() >= deadline) return false;
      await this.#clock.sleep(lookMs);
    }
  }

  /** Returns whether the file was removed. */
  async removeUnused(file: string, usedSince: number): Promise<boolean> {
    if (!(await isOlder(file, usedSince))) return false;
    const aside = this.#asideOf(file);
    const isMoved = await unlessMissing(rename(file, aside).then(() => true));
    return isMoved === true && (await this.#settle(aside, file, usedSince));
  }

  /** Does the rest of what killed processes have begun. */
  async recover(usedSince: number): Promise<void> {
    for (const name of await namesIn(this.#folder)) {
      const path = name.split("~").join(sep);
      await this.#settle(join(this.#folder, name), join(this.#root, path), usedSince);
    }
  }

  async #settle(aside: string, file: string, usedSince: number): Promise<boolean> {
    const isUnused = await isOlder(aside, usedSince);
    if (!isUnused) await linkTo(aside, file);
    await rm(aside, { force: true });
    return isUnused;
  }

  #asideOf(file: string): string {
    return join(this.#folder, relative(this.#root, file).split(sep).join("~"));
  }
}

async function isOlder(file: string, time: number): Promise<boolean> {
  const found = await unlessMissing(stat(file));
  return found !== undefined && found.mtimeMs < time;
}
