// Checks that the check of the import law works: it must detect a violation of every rule, planted in a scratch copy.
import { resolve } from "node:path";
import { plantedCount, runCanary } from "../architecture/canary.ts";

const failures = await runCanary(resolve(import.meta.dirname, "../.."));
for (const failure of failures) process.stdout.write(`${failure}\n`);
process.stdout.write(`${plantedCount} violations planted, ${failures.length} failures\n`);
process.exitCode = failures.length === 0 ? 0 : 1;
