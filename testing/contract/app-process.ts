import { readdirSync, readFileSync } from "node:fs";
import type { PlatformUnderTest } from "@appserver/testing/kit";

/** A process that runs an app, as the operating system shows it. */
export interface AppProcess {
  readonly pid: number;
  /** Lines of the form `NAME=value`. */
  readonly environment: readonly string[];
}

/** Returns the process that runs the app of this platform. Linux only, for apps that run as processes. */
export function appProcess({ httpUrl }: Pick<PlatformUnderTest, "httpUrl">, name: string): AppProcess | undefined {
  const wanted = [`APP_NAME=${name}`, `APPSERVER_HTTP_URL=${httpUrl}`];
  const processes = readdirSync("/proc").map((entry) => {
    try {
      return { pid: Number(entry), environment: readFileSync(`/proc/${entry}/environ`, "utf8").split("\0") };
    } catch {
      // It is no process, or has ended.
      return { pid: 0, environment: [] };
    }
  });
  return processes.findLast(({ environment }) => wanted.every((line) => environment.includes(line)));
}
