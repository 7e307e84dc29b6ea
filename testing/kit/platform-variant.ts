import type { PlatformVariant } from "./platform-under-test.ts";

/** `embedded` (default), `production`, or the path of a file with the addresses of a running production platform. */
const variable = "APPSERVER_TEST_PLATFORM";

/** The variant on which this process's black-box tests run. */
export const platformVariant: PlatformVariant = choice() === "embedded" ? "embedded" : "production";

/** The file with the addresses of the running platform. Undefined if the tests start their own. */
export const addressesFile: string | undefined = ["embedded", "production"].includes(choice()) ? undefined : choice();

function choice(): string {
  return process.env[variable] || "embedded";
}
