import { randomBytes } from "node:crypto";
import { link, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Writes a file that only its owner may read. The write is atomic, even if the process is killed, the disk is full or the
 * machine loses power during it. Replaces an existing file.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  await withDraft(file, text, (draft) => rename(draft, file));
}

/** Like {@link replaceFile}, but never replaces an existing file: returns false if one exists. */
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

/** Syncs the folder. Without this, a power loss could lose a new name in it. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
