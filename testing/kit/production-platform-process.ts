// `node production-platform-process.ts <file>`: runs a production platform until standard input ends or it receives a signal.
// Writes its addresses to the file once the sample apps run. Otherwise it writes `{"unavailable": …}` and ends.
import { once } from "node:events";
import { renameSync, writeFileSync } from "node:fs";
import { startProductionPlatform } from "./start-production-platform.ts";

const [, , file = ""] = process.argv;
const over = Promise.race([
  once(process.stdin.resume(), "close"),
  ...(["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => once(process, signal)),
]);
const platform = await startProductionPlatform();
// Renamed into place: another process waits for the file and must not read half of it.
writeFileSync(`${file}.new`, JSON.stringify("unavailable" in platform ? platform : platform.addresses));
renameSync(`${file}.new`, file);
if (!("unavailable" in platform)) {
  await over;
  await platform.stop();
}
process.exit();
