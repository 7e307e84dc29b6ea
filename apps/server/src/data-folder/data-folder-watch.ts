import { accessSync, constants, statSync } from "node:fs";
import { relative } from "node:path";
import { type Clock, type Component, every } from "@appserver/kernel";
import type { ReadinessCheck } from "@appserver/transports/http";
import type { DataFolder } from "./data-folder.ts";

export interface DataFolderWatchOptions {
  readonly folder: Pick<DataFolder, "path" | "files" | "isIntact">;
  readonly clock: Clock;
  /** Called once when the folder becomes unusable. Log lines are dropped after it returns. */
  readonly onLost: (problem: string) => void;
  /** Called once when the folder is usable again. */
  readonly onFound: () => void;
}

const lookEveryMs = 1_000;

/**
 * Notices that the data folder was removed, replaced or made unreadable while the platform runs. Then every part of the platform
 * fails again and again for this one reason, which is reported once instead of all its consequences.
 */
export class DataFolderWatch implements Component {
  readonly name = "data folder watch";
  readonly #options: DataFolderWatchOptions;
  readonly #stopping = new AbortController();
  readonly #files: Set<string>;
  #problem: string | undefined;
  #isReported = false;

  constructor(options: DataFolderWatchOptions) {
    this.#options = options;
    this.#files = new Set(options.folder.files);
  }

  /** Adds files and folders that exist as long as the data is complete. They may be in another place than the data folder. */
  add(files: readonly string[]): void {
    for (const file of files) this.#files.add(file);
  }

  start(): void {
    const { clock } = this.#options;
    void every({
      clock,
      signal: this.#stopping.signal,
      intervalMs: lookEveryMs,
      first: "after a pause",
      run: () => this.look(),
      onError: () => {},
    });
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** For the readiness of the server. */
  get check(): ReadinessCheck {
    const check = async (): Promise<void> => {
      const problem = this.look();
      if (problem !== undefined) throw new Error(problem);
    };
    return { name: "data_folder", critical: true, check };
  }

  /** The last known problem, once it was reported. */
  get reported(): string | undefined {
    return this.#isReported ? this.#problem : undefined;
  }

  /**
   * Checks the folder now, and reports a change. Returns the problem in one sentence; undefined if there is none. After a stop, which
   * removes the lock file, returns the last result.
   */
  look(): string | undefined {
    if (this.#stopping.signal.aborted) return this.#problem;
    const before = this.#problem;
    this.#problem = this.#find();
    if (before === undefined && this.#problem !== undefined) {
      this.#options.onLost(this.#problem);
      this.#isReported = true;
    } else if (before !== undefined && this.#problem === undefined) {
      this.#isReported = false;
      this.#options.onFound();
    }
    return this.#problem;
  }

  #find(): string | undefined {
    const { path } = this.#options.folder;
    const reason = this.#reason(path);
    return reason === undefined ? undefined : `the data folder ${path} cannot be used: ${reason}`;
  }

  #reason(path: string): string | undefined {
    let looked = path;
    try {
      accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
      for (looked of this.#files) statSync(looked);
      return this.#options.folder.isIntact() ? undefined : "another process uses a new folder of that name";
    } catch (error) {
      const inside = relative(path, looked);
      const what = inside === "" ? "it" : inside.startsWith("..") ? looked : `its file ${inside}`;
      const { code = String(error) } = error as NodeJS.ErrnoException;
      return code === "ENOENT" ? `${what} was removed` : `${what} is not accessible (${code})`;
    }
  }
}
