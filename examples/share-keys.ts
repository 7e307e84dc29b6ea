import { randomUUID } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { certificateFile, keyFile } from "@appserver/sdk";

/**
 * Copies the keys of an app to the folder of another version, because only they may register it. Concurrent readers never see a partial file.
 */
export async function shareKeys(from: string, to: string): Promise<void> {
  for (const [file, mode] of [
    [keyFile, 0o600],
    [certificateFile, 0o644],
  ] as const) {
    const text = await readFile(join(from, file), "utf8");
    if ((await readFile(join(to, file), "utf8").catch(() => undefined)) === text) continue;
    const draft = join(to, `.${file}-${randomUUID()}`);
    await writeFile(draft, text, { mode });
    await rename(draft, join(to, file));
  }
}
