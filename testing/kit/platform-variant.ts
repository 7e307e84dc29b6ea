import { readFileSync } from "node:fs";
import type { PlatformVariant } from "./platform-under-test.ts";

/** The path of a file with the variant and the addresses of a running platform, which other test files may use, too. */
const variable = "APPSERVER_TEST_PLATFORM";

/** The addresses of the platform that the environment names. Undefined if it names none. */
export const sharedAddresses: unknown = readAddresses();

/** The variant on which this process's black-box tests run. */
export const platformVariant: PlatformVariant =
  (sharedAddresses as { variant?: PlatformVariant } | undefined)?.variant ?? "embedded";

/** Whether the orchestrator is part of the process of the server. */
export const isOneProcess: boolean =
  platformVariant === "embedded" || (sharedAddresses as { command?: string } | undefined)?.command === "up";

function readAddresses(): unknown {
  const file = process.env[variable];
  return file ? (JSON.parse(readFileSync(file, "utf8")) as unknown) : undefined;
}
