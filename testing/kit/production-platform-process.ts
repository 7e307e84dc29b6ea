// `node production-platform-process.ts <file>`: runs a production platform until standard input ends or a signal comes.
// Writes its addresses to the file once the sample apps run, or `{"unavailable": …}` and ends.
import { once } from "node:events";
import { renameSync, writeFileSync } from "node:fs";
import { startProductionPlatform } from "./start-production-platform.ts";

const [, , file = ""] = process.argv;
const over = Promise.race([
  once(process.stdin.resume(), "close"),
  ...(["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => once(process, signal)),
]);
const platform = await startProductionPlatform();
// Whole or not at all: somebody waits for it.
writeFileSync(`${file}.new`, JSON.stringify("unavailable" in platform ? platform : platform.addresses));
renameSync(`${file}.new`, file);
if (!("unavailable" in platform)) {
  await over;
  await platform.stop();
}
process.exit();
