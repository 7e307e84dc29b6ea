import { ask, command, found } from "../client.ts";
import { DeleteStorageDocument, type StorageFragment, StorageOfAppDocument } from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { print, printJson, printResult } from "../output.ts";
import { renderTable } from "../table.ts";
import { UsageError } from "../usage-error.ts";

/** Shows what an app keeps on disk. */
export async function listStorage(options: GlobalOptions, appName: string): Promise<void> {
  const { storage } = found((await ask(options, StorageOfAppDocument, { name: appName })).app, `app ${appName}`);
  if (options.json) printJson({ storage });
  else if (storage.length === 0) print(`${appName} has no storage`);
  else print(storageTable(storage));
}

export function storageTable(storage: readonly StorageFragment[]): string {
  return renderTable(["NAME", "PATH", "SIZE", "USED", "CREATED", "DECLARED"], storage.map(rowOf));
}

/** Deletes one storage of an app that does not run. `confirm` must repeat its name, because nothing restores it. */
export async function deleteStorage(options: GlobalOptions, appName: string, name: string, confirm?: string): Promise<void> {
  if (confirm !== name) {
    const found = confirm === undefined ? "" : `, got ${JSON.stringify(confirm)}`;
    throw new UsageError(
      `this deletes the files of ${name}, and nothing restores them; repeat its name: --confirm ${name}${found}`,
    );
  }
  const result = await command(options, DeleteStorageDocument, { name: appName, storage: name });
  printResult(options, result, `the storage ${name} of ${appName} is being deleted`);
}

function rowOf({ name, mountPath, size, declared, createdAt, usedBytes }: StorageFragment): readonly string[] {
  const used = usedBytes == null ? "unknown" : sizeText(usedBytes);
  return [name, mountPath, size, used, createdAt ?? "not yet", declared ? "yes" : "no"];
}

/** Formats a size in the units of a manifest: `12.5Mi`. */
export function sizeText(bytes: number): string {
  const units = ["Ti", "Gi", "Mi", "Ki"];
  for (const [index, unit] of units.entries()) {
    const size = bytes / 1024 ** (units.length - index);
    if (size >= 1) return `${Math.round(size * 10) / 10}${unit}`;
  }
  return String(bytes);
}
