import { spawn } from "node:child_process";
import { once } from "node:events";
import type { BackupCommand, BackupPlan } from "@appserver/backups";
import type { Clock, Component, Logger } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";
import type { UpConfig } from "../config/up-config.ts";
import { backupsOf } from "./record-backup.ts";

export interface BackupScheduleParts {
  readonly database: Database;
  readonly instance: string;
  readonly backup: UpConfig["backup"];
  /** The arguments of the command, after `backup`. */
  readonly args: readonly string[];
  /** The options of this process, completed by flags and files. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const shownErrors = 2_000;

/** Makes the backups of the schedule, each in a process of its own. Throws INVALID_REQUEST for a wrong schedule. */
export function backupSchedule({ database, instance, backup, clock, logger, ...parts }: BackupScheduleParts): Component {
  const command: BackupCommand = { run: (signal) => runCommand(parts, signal) };
  return backupsOf(database, instance, clock).schedule({ command, plan: planOf(backup), logger });
}

function planOf({ schedule, to: target, passphraseFile, recipients }: UpConfig["backup"]): BackupPlan {
  const hasKey = passphraseFile !== undefined || recipients !== undefined;
  const missing = [
    ...(target === undefined ? ["backup.to"] : []),
    ...(hasKey ? [] : ["backup.passphrase_file or backup.recipients"]),
  ];
  if (missing.length === 0) return { schedule, target };
  return { schedule, target, problem: `no backup can be made: the options ${missing.join(" and ")} are missing` };
}

async function runCommand(
  { args, environment }: Pick<BackupScheduleParts, "args" | "environment">,
  signal: AbortSignal,
): Promise<void> {
  const [, program = ""] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, program, "backup", ...args], {
    env: { PATH: process.env["PATH"], ...environment },
    stdio: ["ignore", "ignore", "pipe"],
    signal,
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-shownErrors);
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(errors.trim() || `the command of the backup ended with ${code}`);
}
