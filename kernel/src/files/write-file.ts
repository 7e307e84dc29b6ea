import { randomBytes } from "node:crypto";
import { link, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Writes a file that its owner alone may read, whole or not at all, also when the process is killed, the disk is full or the
 * machine loses power meanwhile. Replaces an existing file.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  await withDraft(file, text, (draft) => rename(draft, file));
}

/** As {@link replaceFile}, but never over an existing file: returns false when there is one. */
export async function createFile(file: string, text: string): Promise<boolean> {
  return withDraft(file, text, async (draft) => {
    try {
      await link(draft, file);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    }
  });
}

async function withDraft<T>(file: string, text: string, place: (draft: string) => Promise<T>): Promise<T> {
  const draft = `${file}.${randomBytes(6).toString("hex")}.draft`;
  try {
    const handle = await open(draft, "wx", 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    const placed = await place(draft);
    await syncFolder(dirname(file));
    return placed;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Or the new name would be lost with the power. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
