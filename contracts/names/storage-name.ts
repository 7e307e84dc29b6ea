/** Maximum length of the name of a storage, in characters. */
export const storageNameLimit = 40;
/** The grammar of names of storages, without {@link storageNameLimit}; for messages. */
export const storageNamePattern: RegExp = /^[a-z]([a-z0-9-]*[a-z0-9])?$/;

/** The grammar of sizes of storages: a whole number from 1 to 9999 of mebibytes, gibibytes or tebibytes. For messages. */
export const storageSizePattern: RegExp = /^[1-9][0-9]{0,3}(Mi|Gi|Ti)$/;

/** Returns the bytes of a size of {@link storageSizePattern}. */
export function storageBytes(size: string): number {
  const exponents: Readonly<Record<string, number>> = { Mi: 2, Gi: 3, Ti: 4 };
  return Number(size.slice(0, -2)) * 1024 ** (exponents[size.slice(-2)] ?? 0);
}

/** Variables with this prefix are set by the platform only. */
export const storageVariablePrefix = "APP_STORAGE_";

/** Returns whether `text` is the name of a storage (docs/interface/manifest.md#storage). */
export function isStorageName(text: string): boolean {
  return text.length <= storageNameLimit && storageNamePattern.test(text);
}

/** Returns the variable that contains the path of the storage: `APP_STORAGE_DATA` for `data`. */
export function storageVariable(name: string): string {
  return storageVariablePrefix + name.replaceAll("-", "_").toUpperCase();
}
