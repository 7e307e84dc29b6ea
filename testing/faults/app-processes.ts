import { readFileSync } from "node:fs";
import { processNumbers } from "@appserver/kernel/files";

export interface AppProcess {
  readonly pid: number;
  readonly appName: string;
}

/**
 * Returns the processes that run apps of one data folder, as the operating system lists them: those with APP_NAME
 * (docs/interface/containers.md#environment) and with a folder of theirs below it in their environment. Linux only.
 */
export function appProcesses(dataDir: string): readonly AppProcess[] {
  return processNumbers().flatMap((pid) => {
    const environment = read(`/proc/${pid}/environ`).split("\0");
    const appName = environment.find((variable) => variable.startsWith("APP_NAME="))?.slice("APP_NAME=".length);
    const folders = [`DATA_DIR=${dataDir}/`, `APP_IDENTITY_DIR=${dataDir}/`];
    const isOfFolder = environment.some((variable) => folders.some((folder) => variable.startsWith(folder)));
    return appName !== undefined && isOfFolder ? [{ pid, appName }] : [];
  });
}

/** Returns every process that names the data folder in its command line or environment. A stopped platform must leave none. */
export function processesOf(dataDir: string): readonly { readonly pid: number; readonly command: string }[] {
  return processNumbers().flatMap((pid) => {
    const command = read(`/proc/${pid}/cmdline`);
    const isOfFolder = command.includes(dataDir) || read(`/proc/${pid}/environ`).includes(dataDir);
    return isOfFolder && pid !== process.pid ? [{ pid, command: command.replaceAll("\0", " ") }] : [];
  });
}

/** Empty if the process has ended or must not be read. */
function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
