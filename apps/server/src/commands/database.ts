import type { moveToDatabase } from "../compose/move-database.ts";
import { loadServeConfig } from "../config/load-config.ts";
import { openLog } from "../log/open-log.ts";
import { usageOf } from "../usage.ts";
import { refuseWords, UsageError } from "../usage-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;

type Moved = Awaited<ReturnType<typeof moveToDatabase>>;

export interface DatabaseFlags {
  readonly to: string | undefined;
  readonly undo: boolean | undefined;
}

/** Runs `appserver database …`. Returns the exit code. Throws UsageError for other words and flags than the command takes. */
export async function database(
  args: readonly string[],
  { to, undo = false }: DatabaseFlags,
  flags: Readonly<Record<string, unknown>>,
  environment: Environment,
  write: (text: string) => void,
): Promise<number> {
  const [command = "", ...words] = args;
  refuseWords(command === "move" ? words : args, "appserver database move --to <url>");
  if (command !== "move" || (to === undefined) !== undo) throw new UsageError(usageOf("database") ?? "");
  const config = await loadServeConfig(flags, environment);
  const compose = await import("../compose/move-database.ts");
  if (to === undefined) {
    const { database: name, peer } = await compose.returnToDatabase(config);
    write(`The platform is in ${name} again. What was written to ${peer} since the move is not in it.\n`);
    return 0;
  }
  const logger = openLog({ service: "appserver", level: config.telemetry.logLevel, output: "standard error" });
  write(reportOf(await compose.moveToDatabase(config, to, environment, logger)));
  return 0;
}

function reportOf({ outcome, source, target, tables, rows, notCopied, variables }: Moved): string {
  const done = {
    moved: `copied ${rows} rows of ${tables} tables from ${source} to ${target}, and compared them`,
    finished: `finished the move from ${source} to ${target}, which had been interrupted after the copy`,
    unchanged: `the platform is in ${target} already`,
  };
  return [
    done[outcome],
    ...(notCopied.length === 0 ? [] : [`not copied, because they are not the platform's: ${notCopied.join(", ")}`]),
    "Set these for every server, orchestrator and command, with the password in APPSERVER_DB_PASSWORD, and start them:",
    ...Object.entries(variables).map(([name, value]) => `  ${name}=${value}`),
    "The databases of apps stay where they are: containers.database_admin_url names their server.",
    "",
  ].join("\n");
}
