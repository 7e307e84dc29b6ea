import { loadServeConfig } from "../config/load-config.ts";
import { openLog } from "../log/open-log.ts";
import { usageOf } from "../usage.ts";
import { refuseWords, UsageError } from "../usage-error.ts";

/** The flags of `appserver accounts invite` that are no options. */
export interface InviteFlags {
  readonly admin?: boolean;
  readonly email?: string;
  readonly name?: string;
}

/** Runs `appserver accounts invite`, which makes an account and prints the link that completes it. Returns the exit code. */
export async function accounts(
  [command, ...words]: readonly string[],
  invited: InviteFlags,
  flags: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
  write: (text: string) => void,
): Promise<number> {
  if (command !== "invite") throw new UsageError(usageOf("accounts") ?? "");
  refuseWords(words, "appserver accounts invite [--admin] [--email <address>] [--name <name>]");
  const config = await loadServeConfig(flags, environment);
  const logger = openLog({ service: "appserver", level: config.telemetry.logLevel, output: "standard error" });
  const { invite } = await import("../compose/admin.ts");
  const context = { config, logger, signal: AbortSignal.timeout(300_000) };
  const { path, endsAt } = await invite(context, invited);
  const { publicUrl, httpPort } = config.server;
  write(`${new URL(path, publicUrl ?? `http://127.0.0.1:${httpPort}`).href}\n`);
  console.error(`The link works once, until ${endsAt.toISOString()}.`);
  return 0;
}
