// `node shared-platform-process.ts <embedded|production|up> <file> [VARIABLE=value…]`: runs a platform with these options until standard
// input ends or it receives a signal. Writes its addresses to the file once the sample apps run. Otherwise it writes `{"unavailable": …}` and ends.
import { once } from "node:events";
import { renameSync, writeFileSync } from "node:fs";
import { RunningPlatform } from "./running-platform.ts";

const [, , variant = "", file = "", ...variables] = process.argv;
const options = Object.fromEntries(variables.map((each) => each.split("=", 2) as [string, string]));
const over = Promise.race([
  once(process.stdin.resume(), "close"),
  ...(["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => once(process, signal)),
]);
const start = async () => {
  if (variant === "embedded") return await RunningPlatform.start({ environment: options });
  if (variant === "up") return await (await import("./start-up-platform.ts")).startUpPlatform(options);
  const { startProductionPlatform } = await import("./start-production-platform.ts");
  return await startProductionPlatform(options);
};
const platform = await start();
const found = "unavailable" in platform ? platform : { variant: platform.variant, ...platform.addresses };
// Renamed into place: another process waits for the file and must not read half of it.
writeFileSync(`${file}.new`, JSON.stringify(found));
renameSync(`${file}.new`, file);
if (!("unavailable" in platform)) {
  await over;
  await platform.stop();
}
process.exit();
