// `npm test`, `npm run test:production` and `npm run test:faults` (docs: testing/README.md). Arguments: parts of paths, which
// select files; `--tier`, `--smoke`, `--whole`, `--shard 2/4`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isKubernetesBuilt } from "../tools/services/kubernetes.ts";
import { scaleVariable } from "./kit/scaled.ts";
import { readArguments } from "./runner/arguments.ts";
import { filesOf, planRun } from "./runner/plan.ts";
import { prepare } from "./runner/preparation.ts";
import { endAll } from "./runner/run-files.ts";
import { runPlan } from "./runner/run-plan.ts";
import { componentsFor } from "./runner/slow-components.ts";
import { describeRun } from "./runner/summary.ts";

const root = resolve(import.meta.dirname, "..");
const selection = readArguments(process.argv.slice(2), isKubernetesBuilt());
if ("problem" in selection) {
  process.stderr.write(`${selection.problem}\n`);
  process.exit(2);
}
if (selection.whole) process.env[scaleVariable] = "1";
// Where the tests in a browser keep their pictures of pages.
process.env["CONSOLE_SCREENSHOTS"] ??= join(root, ".appserver/screenshots");
const plan = planRun(root, selection);
if (filesOf(plan).length === 0) {
  process.stderr.write(`no test file of this tier matches ${selection.filters.join(" ")}\n`);
  process.exit(2);
}

const scratch = mkdtempSync(join(tmpdir(), "appserver-tests-"));
const clean = (): void => rmSync(scratch, { recursive: true, force: true });
const preparation = prepare(root, selection.tier === "base" ? [] : componentsFor(filesOf(plan)));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    preparation.end();
    endAll();
    clean();
    process.exit(130);
  });
}
// Nothing is installed or compiled while a test runs.
const problem = await preparation.finished();
if (problem !== undefined) process.stdout.write(`${problem}\n`);
const started = performance.now();
const results = await runPlan({ root, scratch }, selection, plan);
clean();
const { text, passed } = describeRun(results, process.env["CI"] === "true", (performance.now() - started) / 1000);
process.stdout.write(text);
process.exitCode = passed ? 0 : 1;
