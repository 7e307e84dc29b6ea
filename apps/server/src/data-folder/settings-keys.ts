import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isSettingsKeyId } from "@appserver/contracts/names";
import { messageOf } from "@appserver/kernel";
import { createFile, replaceFile } from "@appserver/kernel/files";
import type { EncryptionKey, EncryptionKeys } from "@appserver/settings";
import { DataFolderError } from "./data-folder.ts";

/**
 * The encryption keys for the stored settings of one data folder: `settings-keys.json`, newest first, created on first use. A
 * running server loads a key that is added at the front. If the file is deleted, a new key is created, and values that were
 * encrypted before cannot be decrypted any more.
 */
export class SettingsKeyFile implements EncryptionKeys {
  readonly #file: string;

  constructor(dataDir: string) {
    this.#file = join(dataDir, "settings-keys.json");
  }

  async load(): Promise<readonly EncryptionKey[]> {
    const text = (await this.#read()) ?? (await this.#make());
    return this.#parse(text);
  }

  /** Adds a new key at the front. */
  async add(): Promise<void> {
    const keys = [newKey(), ...(await this.load())];
    await replaceFile(this.#file, textOf(keys));
  }

  #read(): Promise<string | undefined> {
    return readFile(this.#file, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw new DataFolderError(`could not read ${this.#file}: ${messageOf(error)}.`);
    });
  }

  async #make(): Promise<string> {
    try {
      await createFile(this.#file, textOf([newKey()]));
    } catch (error) {
      throw new DataFolderError(`could not create ${this.#file}: ${messageOf(error)}.`);
    }
    // Another process may have created the file first.
    return readFile(this.#file, "utf8");
  }

  #parse(text: string): readonly EncryptionKey[] {
    try {
      const entries: unknown = JSON.parse(text);
      if (Array.isArray(entries) && entries.length > 0 && entries.every(isEntry))
        return entries.map(({ id, key }) => ({ id, key: Buffer.from(key, "hex") }));
    } catch {
      // Reported below.
    }
    throw new DataFolderError(
      `${this.#file} is damaged: it must be a list of {"id", "key"} with keys of 64 hex digits. Restore it, or move it away and set the secret settings again.`,
    );
  }
}

function newKey(): EncryptionKey {
  return { id: `k${randomBytes(4).toString("hex")}`, key: randomBytes(32) };
}

function textOf(keys: readonly EncryptionKey[]): string {
  const entries = keys.map(({ id, key }) => ({ id, key: Buffer.from(key).toString("hex") }));
  return `${JSON.stringify(entries, undefined, 2)}\n`;
}

function isEntry(entry: unknown): entry is { readonly id: string; readonly key: string } {
  const { id, key } = (entry ?? {}) as { readonly id?: unknown; readonly key?: unknown };
  return typeof id === "string" && isSettingsKeyId(id) && typeof key === "string" && /^[0-9a-f]{64}$/.test(key);
}
