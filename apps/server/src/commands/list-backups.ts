import type { BackupRecord } from "@appserver/backups";
import type { StoredBackup } from "../backup/place.ts";
import { usageOf } from "../usage.ts";
import { refuseWords, UsageError } from "../usage-error.ts";
import { type BackupFlags, type OnDataFolder, openPlaceOf, withRecordsOf } from "./backup.ts";

const listed = 50;

/** Runs `appserver backup list`. Returns the exit code. Throws UsageError for other words. */
export async function listBackups(
  words: readonly string[],
  { to, app }: BackupFlags,
  on: OnDataFolder,
  write: (text: string) => void,
): Promise<number> {
  refuseWords(words, "appserver backup list [--data <folder>] [--to <folder or s3://…>]");
  if (app !== undefined) throw new UsageError(usageOf("backup") ?? "");
  if (to === undefined) {
    const records = await withRecordsOf(on, (each) => each.list(listed));
    write(records.length === 0 ? "No backup is recorded.\n" : tableOf(recordHead, records.map(recordRow)));
    return 0;
  }
  const { place } = await openPlaceOf(to, on.environment);
  const files = (await place.list()).toReversed();
  const rowOf = ({ name, bytes }: StoredBackup): readonly string[] => [String(bytes), place.locationOf(name)];
  write(files.length === 0 ? `There are no backups in ${to}.\n` : tableOf(["BYTES", "LOCATION"], files.map(rowOf)));
  return 0;
}

const recordHead = ["REQUESTED", "STATE", "BYTES", "TESTED", "LOCATION"] as const;

function recordRow({ requestedAt, state, bytes, testedAt, location, error }: BackupRecord): readonly string[] {
  const tested = state === "COMPLETED" ? (testedAt?.toISOString() ?? "never") : "-";
  return [requestedAt.toISOString(), state, String(bytes ?? "-"), tested, location ?? oneLine(error) ?? "-"];
}

/** An error can be the output of a command. */
function oneLine(text: string | undefined): string | undefined {
  return text?.replaceAll(/\s+/g, " ").slice(0, 300);
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string => row.map((text, column) => text.padEnd(widths[column] ?? 0)).join("  ");
  return all.map((row) => `${line(row).trimEnd()}\n`).join("");
}
