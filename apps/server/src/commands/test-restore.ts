import { messageOf } from "@appserver/kernel";
import type { TestedBackup } from "../compose/test-backup.ts";
import { openLog } from "../log/open-log.ts";
import { usageOf } from "../usage.ts";
import { refuseWords, UsageError } from "../usage-error.ts";
import { aboutBackup, type BackupFlags, type OnDataFolder, openFile, summaryOf, withRecordsOf } from "./backup.ts";

/** Runs `appserver restore --test`. Returns the exit code. Throws UsageError for other words and flags. */
export async function testRestore(
  words: readonly string[],
  given: BackupFlags,
  on: OnDataFolder,
  write: (text: string) => void,
): Promise<number> {
  const [path, ...rest] = words;
  refuseWords(rest, "appserver restore <file> --test [--data <folder>]");
  if (path === undefined || given.app !== undefined || given["dry-run"]) throw new UsageError(usageOf("restore") ?? "");
  const file = await openFile(path, given, on.environment);
  const logger = openLog({ service: "appserver", level: "warn", output: "standard error" });
  const { testBackup } = await import("../compose/test-backup.ts");
  const begun = performance.now();
  const tested = await testBackup(file, logger);
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  write(`${aboutBackup(tested.manifest)}${aboutTest(tested)}The backup was restored and read in ${seconds} s, and removed.\n`);
  write(`${await record(on, file.name)}\n`);
  return 0;
}

/** The test has succeeded, whether or not the platform can record it: this may be another machine. */
async function record(on: OnDataFolder, location: string): Promise<string> {
  try {
    const isKnown = await withRecordsOf(on, (records) => records.tested(location, new Date()));
    return isKnown ? "The platform has recorded the test." : `The platform has no record of a backup at ${location}.`;
  } catch (error) {
    const where = on.dataDir === undefined ? "with the options of the orchestrator, or --data <folder>" : `in ${on.dataDir}`;
    return `The test is not recorded: the platform cannot be reached ${where} (${messageOf(error)}).`;
  }
}

function aboutTest({ apps, secrets, databases }: TestedBackup): string {
  return summaryOf([
    ["readable", `${apps} apps, ${secrets} secret settings`],
    ...databases.map(
      ({ server, name, tables, rows }) => ["database", `${name} of ${server}, ${tables} tables, ${rows} rows`] as const,
    ),
  ]);
}
