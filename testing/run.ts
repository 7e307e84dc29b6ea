// `npm test [-- path ...]`: runs every test file in its own process. Files that need slow components run last; until then these
// components are installed and built in the background. `npm run test:long [-- path ...]` runs the files that `npm test` does
// only in part, with all their work. Without a path, a file that fails runs a second time, and its first failure is listed.
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { scaleVariable } from "./kit/scaled.ts";
import type { FileResult } from "./runner/case-result.ts";
import { labelOf, type PlannedFile, planFiles, planWhole } from "./runner/plan.ts";
import { prepare } from "./runner/preparation.ts";
import { startSharedPlatform, withoutPlatform } from "./runner/production-phase.ts";
import { endAll, runFile } from "./runner/run-file.ts";
import { runFailedAgain } from "./runner/second-run.ts";
import { componentsFor } from "./runner/slow-components.ts";
import { describeFile, describeRun } from "./runner/summary.ts";

const root = resolve(import.meta.dirname, "..");

async function runPhase(
  files: readonly PlannedFile[],
  workers: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<readonly FileResult[]> {
  const waiting = [...files];
  const results: FileResult[] = [];
  const run = async (file: PlannedFile): Promise<FileResult> => {
    const result = await runFile(root, scratch, file, environment);
    process.stdout.write(describeFile(result));
    return result;
  };
  const worker = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) results.push(await run(file));
  };
  await Promise.all(Array.from({ length: Math.min(workers, files.length) }, worker));
  results.sort((a, b) => (a.file < b.file ? -1 : 1));
  // A developer who chose files wants to see the first failure.
  if (filters.length > 0) return results;
  const planned = new Map(files.map((file) => [labelOf(file), file]));
  return await runFailedAgain(results, (label) => run(planned.get(label) as PlannedFile));
}

/** One production platform for all files of this phase: starting it takes as long as running most of them. */
async function runProductionPhase(files: readonly PlannedFile[]): Promise<readonly FileResult[]> {
  if (files.length === 0) return [];
  const platform = await startSharedPlatform(root, scratch).catch((error: unknown) => ({ failed: String(error) }));
  if ("stop" in platform) {
    try {
      return await runPhase(files, 1, platform.environment);
    } finally {
      await platform.stop();
    }
  }
  const results = files.map((file) => withoutPlatform(file, platform));
  for (const result of results) process.stdout.write(describeFile(result));
  return results;
}

const isLong = process.argv.includes("--long");
const filters = process.argv.slice(2).filter((argument) => argument !== "--long");
if (isLong) process.env[scaleVariable] = "1";
const files = isLong ? planWhole(root, filters) : planFiles(root, filters);
if (files.length === 0) {
  process.stderr.write(`no test file matches ${filters.join(" ")}\n`);
  process.exit(2);
}

const preparation = prepare(root, componentsFor(files));
const scratch = mkdtempSync(join(tmpdir(), "appserver-tests-"));
const clean = (): void => rmSync(scratch, { recursive: true, force: true });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    preparation.end();
    endAll();
    clean();
    process.exit(130);
  });
}
const onEmbedded = files.filter(({ variant }) => variant === undefined);
const filesOf = (alone: boolean, prepared: boolean): readonly PlannedFile[] =>
  onEmbedded.filter((file) => file.alone === alone && file.prepared === prepared);
const cores = availableParallelism();
const results = [...(await runPhase(filesOf(false, false), cores)), ...(await runPhase(filesOf(true, false), 1))];
// Installations and builds do not count towards the time limit of a test file.
const problem = await preparation.finished();
if (problem !== undefined) process.stdout.write(`${problem}\n`);
const onProduction = files.filter(({ variant }) => variant === "production");
const phases = await Promise.all([runPhase(filesOf(false, true), cores), runProductionPhase(onProduction)]);
results.push(...phases.flat(), ...(await runPhase(filesOf(true, true), 1)));
clean();
const { text, passed } = describeRun(results, process.env["CI"] === "true");
process.stdout.write(text);
process.exitCode = passed ? 0 : 1;
