// Checks that imports follow the import law (ARCHITECTURE.md).
import { resolve } from "node:path";
import { cruiseImports } from "../architecture/cruise.ts";

const { violations, modules, imports } = await cruiseImports(resolve(import.meta.dirname, "../.."));
for (const { rule, from, to, comment } of violations) process.stdout.write(`${from} → ${to}\n    ${rule}: ${comment}\n`);
process.stdout.write(`${modules} modules, ${imports} imports, ${violations.length} violations\n`);
process.exitCode = violations.length === 0 ? 0 : 1;
