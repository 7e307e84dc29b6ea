// `node production-platform-process.ts <file>`: runs a production platform until standard input ends. Writes its addresses
// to the file once the sample apps run, or `{"unavailable": …}` and ends.
import { once } from "node:events";
import { renameSync, writeFileSync } from "node:fs";
import { startProductionPlatform } from "./start-production-platform.ts";

const [, , file = ""] = process.argv;
const inputEnds = once(process.stdin.resume(), "close");
const platform = await startProductionPlatform();
// Whole or not at all: somebody waits for it.
writeFileSync(`${file}.new`, JSON.stringify("unavailable" in platform ? platform : platform.addresses));
renameSync(`${file}.new`, file);
if (!("unavailable" in platform)) {
  await inputEnds;
  await platform.stop();
}
process.exit();
