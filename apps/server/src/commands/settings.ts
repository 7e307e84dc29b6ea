import { silentLogger } from "@appserver/kernel";
import type { RotationReport } from "@appserver/settings";
import { loadDevConfig, loadServeConfig } from "../config/load-config.ts";
import { withOperatorOptions } from "../data-folder/operator-options.ts";
import { SettingsKeyFile } from "../data-folder/settings-keys.ts";
import { openLog } from "../log/open-log.ts";
import { usageOf } from "../usage.ts";
import { refuseWords, UsageError } from "../usage-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Flags = Readonly<Record<string, unknown>>;
type Write = (text: string) => void;

/**
 * Runs `appserver settings …`. `dataDir`: the folder of the platform, which gets a new key first. Returns the exit code: 1 if some values could not be decrypted. Throws
 * UsageError for other words.
 */
export async function settings(
  args: readonly string[],
  flags: Flags,
  environment: Environment,
  write: Write,
  dataDir?: string,
): Promise<number> {
  const [command, where] = args;
  if (command === undefined) throw new UsageError(usageOf("settings") ?? "");
  const taken = command !== "rotate-key" ? 0 : where === "dev" ? 2 : 1;
  refuseWords(args.slice(taken), "appserver settings rotate-key [dev]");
  const onProgress = (rotated: number): void => write(`${rotated} values\n`);
  const report =
    where === "dev"
      ? await rotateDev(flags, environment, onProgress)
      : await rotate(flags, await withNewKey(environment, dataDir), onProgress);
  write(describe(report));
  return report.unreadable.length === 0 ? 0 : 1;
}

async function rotate(flags: Flags, environment: Environment, onProgress: (rotated: number) => void): Promise<RotationReport> {
  const config = await loadServeConfig(flags, environment);
  const logger = openLog({ service: "appserver", level: config.telemetry.logLevel, output: "standard error" });
  const { rotateConfiguredKey } = await import("../compose/key-rotation.ts");
  return rotateConfiguredKey({ config, logger, signal: new AbortController().signal }, onProgress);
}

/** A platform that runs on the folder loads the key. */
async function withNewKey(environment: Environment, dataDir: string | undefined): Promise<Environment> {
  if (dataDir === undefined) return environment;
  await new SettingsKeyFile(dataDir).add();
  return await withOperatorOptions(dataDir, { ...environment, APPSERVER_SETTINGS_ENCRYPTION_KEYS: undefined });
}

async function rotateDev(
  flags: Flags,
  environment: Environment,
  onProgress: (rotated: number) => void,
): Promise<RotationReport> {
  const config = await loadDevConfig(flags, environment);
  const { rotateDataFolderKey } = await import("../compose/key-rotation.ts");
  return rotateDataFolderKey(config, silentLogger, new AbortController().signal, onProgress);
}

function describe({ keyId, rotated, unreadable }: RotationReport): string {
  const lines = unreadable.map(({ owner, problem }) => `  ${owner}: ${problem}\n`);
  const rest = unreadable.length === 0 ? "" : `${unreadable.length} values could not be decrypted and are unchanged:\n`;
  return `${rotated} values encrypted with the key ${keyId}\n${rest}${lines.join("")}`;
}
