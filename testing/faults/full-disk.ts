import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, truncateSync, writeSync } from "node:fs";
import { chmod, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The reason to skip a test if no {@link SmallDisk} is available on this machine; otherwise false. */
export const skipWithoutDisk: string | false = reason();

const ballastName = "ballast";
const chunkBytes = 1 << 20;

/** A disk of a few megabytes in memory, which tests fill and free while processes write to it. Needs root on Linux. */
export class SmallDisk {
  /** The mount point. Every account may traverse it. */
  readonly folder: string;
  readonly #ballast: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.#ballast = join(folder, ballastName);
  }

  static async mount(megabytes: number): Promise<SmallDisk> {
    const folder = mkdtempSync(join(tmpdir(), "small-disk-"));
    mount(folder, megabytes);
    await chmod(folder, 0o755);
    return new SmallDisk(folder);
  }

  /** Takes every free byte. Processes that delete files free space again: see {@link keepFull}. */
  fill(): void {
    const ballast = openSync(this.#ballast, "a");
    try {
      for (let size = chunkBytes; size >= 1; size /= 2) {
        try {
          for (;;) writeSync(ballast, Buffer.alloc(size));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
        }
      }
    } finally {
      closeSync(ballast);
    }
  }

  /** Fills it repeatedly for this long, then frees it. */
  async keepFull(ms: number): Promise<void> {
    for (const until = performance.now() + ms; performance.now() < until; await sleep(100)) this.fill();
    this.free();
  }

  /** Frees all the space that was taken. */
  free(): void {
    truncateSync(this.#ballast);
  }

  async unmount(): Promise<void> {
    // A lazy unmount, because a killed process may still hold its files.
    execFileSync("umount", ["--lazy", this.folder]);
    await rm(this.folder, { recursive: true });
  }
}

function mount(folder: string, megabytes: number): void {
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder], { stdio: "pipe" });
}

function reason(): string | false {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "needs root";
  const folder = mkdtempSync(join(tmpdir(), "small-disk-"));
  try {
    mount(folder, 1);
    execFileSync("umount", [folder]);
    return false;
  } catch {
    return "needs the right to mount";
  } finally {
    rmSync(folder, { recursive: true });
  }
}
