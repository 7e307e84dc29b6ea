import type { AppStorage } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { GlobalOptions } from "../global-options.ts";
import { print, printJson, printResult } from "../output.ts";
import { connect } from "../platform.ts";
import { renderTable } from "../table.ts";
import { UsageError } from "../usage-error.ts";

/** Shows what an app keeps on disk. */
export async function listStorage(options: GlobalOptions, appName: string): Promise<void> {
  const { storage } = await connect(options).marketplace.getApp({ name: appName });
  if (options.json) printJson({ storage: storage.map(storageJson) });
  else if (storage.length === 0) print(`${appName} has no storage`);
  else print(storageTable(storage));
}

export function storageTable(storage: readonly AppStorage[]): string {
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
  const response = await connect(options).marketplace.deleteStorage({ name: appName, storage: name });
  printResult(options, response, `the storage ${name} of ${appName} is being deleted`);
}

function storageJson({ name, mountPath, size, declared, createdAt, usedBytes, measuredAt }: AppStorage) {
  return {
    name,
    mountPath,
    size,
    declared,
    ...(createdAt ? { createdAt: timestampDate(createdAt).toISOString() } : {}),
    ...(usedBytes === undefined ? {} : { usedBytes: Number(usedBytes) }),
    ...(measuredAt ? { measuredAt: timestampDate(measuredAt).toISOString() } : {}),
  };
}

function rowOf({ name, mountPath, size, declared, createdAt, usedBytes }: AppStorage): readonly string[] {
  const created = createdAt ? timestampDate(createdAt).toISOString() : "not yet";
  return [
    name,
    mountPath,
    size,
    usedBytes === undefined ? "unknown" : sizeText(Number(usedBytes)),
    created,
    declared ? "yes" : "no",
  ];
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
