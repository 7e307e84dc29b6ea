import { type FSWatcher, watch } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { sleep } from "../../sleep.ts";

/** Editors write a file in several steps. */
const settleMs = 50;
/** What builds and tools write, and what is never part of an app. Nothing below is watched. */
const ignored = /^(\.|node_modules$|__pycache__$|dist$|key\.pem$|certificate\.pem$)/;

export interface FolderChangesOptions {
  /** Called once if the system watches no more folders, with a sentence. */
  readonly warn: (text: string) => void;
  /** Folders below it that something else watches, relative to it. */
  readonly except?: readonly string[];
  /** Watches the entries of one folder. Default: that of Node. */
  readonly watch?: typeof watch;
  /** How often the files are compared if they cannot be watched. Default 1000. */
  readonly pollMs?: number;
}

/** The changes of the sources in a folder. Each folder has a watch of its own, so that large ignored ones need none. */
export class FolderChanges {
  /** When the first change was seen that was not taken yet, by `performance.now()`. */
  #changedAt: number | undefined;
  #notify: () => void = () => {};
  readonly #folder: string;
  readonly #options: FolderChangesOptions;
  readonly #stopped = new AbortController();
  readonly #watchers = new Map<string, FSWatcher>();
  #isPolled = false;

  constructor(folder: string, options: FolderChangesOptions) {
    this.#folder = folder;
    this.#options = options;
    void this.#watch(folder);
  }

  /**
   * Calls `take` after each change, or after several if they come while it runs, until {@link stop}, with the time of the first one by
   * `performance.now()`. It must not reject.
   */
  async each(take: (changedAt: number) => Promise<void>): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      if (this.#changedAt === undefined) await new Promise<void>((resolve) => (this.#notify = resolve));
      await sleep(settleMs);
      const changedAt = this.#changedAt ?? performance.now();
      this.#changedAt = undefined;
      if (!signal.aborted) await take(changedAt);
    }
  }

  /** Takes a change into account that something else has seen. `at` is its time by `performance.now()`. */
  touch(at: number): void {
    this.#changedAt = Math.min(at, this.#changedAt ?? at);
    this.#notify();
  }

  /** Ends the watch, so that it does not keep the process. */
  stop(): void {
    this.#stopped.abort();
    this.#unwatch();
    this.#notify();
  }

  #changed(): void {
    this.touch(performance.now());
  }

  /** Watches a folder and those below it. The watch comes before the list, so that no new folder is missed. */
  async #watch(folder: string): Promise<void> {
    if (this.#stopped.signal.aborted || this.#isPolled || this.#watchers.has(folder)) return;
    try {
      const watcher = (this.#options.watch ?? watch)(folder, (_, name) => void this.#entryChanged(folder, name));
      this.#watchers.set(folder, watcher);
      watcher.on("error", (error) => this.#failed(folder, error));
    } catch (error) {
      this.#failed(folder, error as NodeJS.ErrnoException);
      return;
    }
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries)
      if (entry.isDirectory() && !this.#isIgnored(folder, entry.name)) await this.#watch(join(folder, entry.name));
  }

  async #entryChanged(folder: string, name: string | null): Promise<void> {
    if (name !== null && this.#isIgnored(folder, name)) return;
    this.#changed();
    if (name === null) return;
    const path = join(folder, name);
    const isFolder = await lstat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    // A folder that was removed and made again needs a new watch: both can be one event.
    this.#unwatchBelow(path);
    if (isFolder) await this.#watch(path);
  }

  #isIgnored(folder: string, name: string): boolean {
    const { except = [] } = this.#options;
    return ignored.test(name) || except.includes(relative(this.#folder, join(folder, name)));
  }

  #unwatchBelow(path: string): void {
    for (const [watched, watcher] of this.#watchers) {
      if (watched !== path && !watched.startsWith(`${path}${sep}`)) continue;
      watcher.close();
      this.#watchers.delete(watched);
    }
  }

  /** A folder that was removed needs no watch. Whatever else fails, the files are compared from then on. */
  #failed(folder: string, { code, message }: NodeJS.ErrnoException): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
    if ((code === "ENOENT" || code === "EPERM") && folder !== this.#folder) return;
    if (this.#isPolled || this.#stopped.signal.aborted) return;
    this.#isPolled = true;
    this.#unwatch();
    const limit = code === "ENOSPC" ? ". `sysctl fs.inotify.max_user_watches=524288` allows more watches" : "";
    this.#options.warn(`could not watch ${folder} (${message}): its files are compared each second instead${limit}`);
    void this.#poll();
  }

  #unwatch(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  async #poll(): Promise<void> {
    const { signal } = this.#stopped;
    let last = await fingerprint(this.#folder);
    while (!signal.aborted) {
      await sleep(this.#options.pollMs ?? 1_000, undefined, { signal }).catch(() => {});
      const now = await fingerprint(this.#folder);
      if (now !== last && !signal.aborted) this.#changed();
      last = now;
    }
  }
}

/** Returns a text that is another one after a change of a file. */
async function fingerprint(folder: string): Promise<string> {
  const lines: string[] = [];
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    if (ignored.test(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) lines.push(path, await fingerprint(path));
    else
      lines.push(
        await lstat(path).then(
          ({ mtimeMs, size }) => `${path} ${mtimeMs} ${size}`,
          () => "",
        ),
      );
  }
  return lines.join("\n");
}
