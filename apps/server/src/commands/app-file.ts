import type { Logger } from "@appserver/kernel";
import type { AppFileManifest } from "../backup/app-file-manifest.ts";
import type { AppFilePlatform } from "../compose/app-file-platform.ts";
import { loadOrchestratorConfig, loadUpConfig } from "../config/load-config.ts";
import { openLog } from "../log/open-log.ts";
import { usageOf } from "../usage.ts";
import { refuseWords, UsageError } from "../usage-error.ts";
import { type BackupFlags, lockingKey, type OnDataFolder, openFile, openTarget, summaryOf } from "./backup.ts";

type Write = (text: string) => void;
type Config = Awaited<ReturnType<typeof loadUpConfig>> | Awaited<ReturnType<typeof loadOrchestratorConfig>>;

/** Runs `appserver backup --app`. Returns the exit code. Throws UsageError for other words and flags. */
export async function backupApp(words: readonly string[], given: BackupFlags, on: OnDataFolder, write: Write): Promise<number> {
  refuseWords(words, "appserver backup --app <name> [--to <file, folder or s3://…>]");
  const { app = "" } = given;
  if (given["dry-run"] || given["without-images"]) throw new UsageError(usageOf("backup") ?? "");
  const { config, run } = await platformOf(on);
  const key = lockingKey(given, config.backup);
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const { place, name = `app-${app}-${time}.age` } = await openTarget(given, config.backup);
  return await run(async (platform) => {
    const { writeAppFile } = await import("../compose/write-app-file.ts");
    const { manifest, bytes } = await writeAppFile({ platform, app, place, name, key });
    write(`${aboutFile(manifest)}Written to ${place.locationOf(name)}, ${bytes} bytes.\n`);
    return 0;
  });
}

/** Runs `appserver restore <file> --app`. Returns the exit code. Throws UsageError for other words and flags. */
export async function restoreApp(
  words: readonly string[],
  given: BackupFlags,
  on: OnDataFolder,
  write: Write,
): Promise<number> {
  const [path, ...rest] = words;
  refuseWords(rest, "appserver restore <file> --app <name>");
  const { app = "" } = given;
  if (path === undefined) throw new UsageError(usageOf("restore") ?? "");
  const file = await openFile(path, given, on.environment);
  const { restoreAppFile, verifyAppFile } = await import("../compose/restore-app-file.ts");
  if (given["dry-run"]) {
    write(`${aboutFile(await verifyAppFile(file))}The file is whole and undamaged. Nothing was changed.\n`);
    return 0;
  }
  const { run } = await platformOf(on);
  return await run(async (platform) => {
    const { manifest, restore } = await restoreAppFile(platform, app, file);
    write(`${aboutFile(manifest)}${app} has this data now. What it had before is its snapshot ${restore.undoId}.\n`);
    return 0;
  });
}

/** Reads the configuration of the platform, and returns what does work with it. */
async function platformOf({ dataDir, flags, environment }: OnDataFolder) {
  const { withApps, withUpApps } = await import("../compose/app-file-platform.ts");
  const path = environment["PATH"];
  const givenTo = (config: Config): { readonly path: string | undefined; readonly logger: Logger } => {
    const { logLevel: level } = config.telemetry;
    return { path, logger: openLog({ service: "appserver", level, output: "standard error" }) };
  };
  type Work = (platform: AppFilePlatform) => Promise<number>;
  if (dataDir === undefined) {
    const config = await loadOrchestratorConfig(flags, environment);
    return { config, run: (work: Work) => withApps(config, givenTo(config), work) };
  }
  const config = await loadUpConfig(flags, { ...environment, APPSERVER_DATA_DIR: dataDir });
  return { config, run: (work: Work) => withUpApps(config, givenTo(config), work) };
}

function aboutFile({ app, moment, instance, platform, pausedMs, database, storage }: AppFileManifest): string {
  const paused = pausedMs === undefined ? "it did not run" : `it was paused for ${pausedMs} ms`;
  return summaryOf([
    ["app", `${app.name} ${app.version}, at ${moment}; ${paused}`],
    ["installation", `${instance}, version ${platform}`],
    ["database", database ? `PostgreSQL ${database.server}, ${database.bytes} bytes` : "none"],
    [
      "storage",
      storage.length === 0 ? "none" : storage.map(({ name, usedBytes }) => `${name} (${usedBytes} bytes)`).join(", "),
    ],
  ]);
}
