import type { PlatformVariant } from "./platform-under-test.ts";

/** `embedded` (default), `production`, or the path of a file with the addresses of a production platform that runs already. */
const variable = "APPSERVER_TEST_PLATFORM";

/** On what this process's black-box tests run. */
export const platformVariant: PlatformVariant = choice() === "embedded" ? "embedded" : "production";

/** The file with the addresses of the platform that runs already; undefined where the tests start one of their own. */
export const addressesFile: string | undefined = ["embedded", "production"].includes(choice()) ? undefined : choice();

function choice(): string {
  return process.env[variable] || "embedded";
}
