import { loadUpConfig } from "../config/load-config.ts";
import { openLog } from "../log/open-log.ts";
import { untilStopped } from "../until-stopped.ts";
import { platformVersion } from "../version.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Flags = Readonly<Record<string, unknown>>;

export interface UpActions {
  /** Prints what runs, and does not start anything. */
  readonly show?: boolean;
  /** Starts the databases only. */
  readonly databases?: boolean;
}

/** Runs `appserver up`. Lines for people go to standard error, and the log to standard output. */
export async function up(flags: Flags, actions: UpActions, environment: Environment): Promise<void> {
  const config = await loadUpConfig(flags, environment);
  if (actions.show) {
    const { showUp } = await import("../compose/up-status.ts");
    process.stdout.write(await showUp(config));
    return;
  }
  const print = (line: string): void => console.error(line);
  for (const warning of config.warnings) print(`warning: ${warning}`);
  print(`Appserver ${platformVersion} starts in ${config.up.dataDir}`);
  const logger = openLog({ service: "appserver", level: config.telemetry.logLevel });
  await untilStopped(async (signal) => {
    const { composeUp, composeUpDatabases } = await import("../compose/up.ts");
    const start = actions.databases ? composeUpDatabases : composeUp;
    return await start({ config, logger, print, signal });
  });
}
