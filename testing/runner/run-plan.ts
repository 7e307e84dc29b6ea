import { availableParallelism } from "node:os";
import type { FileResult } from "./case-result.ts";
import type { Plan, PlannedRun, Selection } from "./plan.ts";
import { type RunSettings, runFiles } from "./run-files.ts";
import { runFailedAgain } from "./second-run.ts";
import { type PlatformVariant, startSharedPlatform, withoutPlatform } from "./shared-platform.ts";
import { withSharedPostgres } from "./shared-postgres.ts";
import { describeFile } from "./summary.ts";

/** Options of the platform of the console: deliveries that fail are dead letters soon. */
const consoleOptions = { APPSERVER_HOOKS_RETRY_DELAYS: "1s" };

/** Runs the files of a plan, prints a line for each, and returns their results in the order of their paths. */
export async function runPlan(settings: RunSettings, selection: Selection, plan: Plan): Promise<readonly FileResult[]> {
  const variant: PlatformVariant = selection.tier === "base" ? "embedded" : "production";
  const once = (part: Plan): Promise<readonly FileResult[]> => runOnce(settings, part, variant);
  const results =
    selection.tier === "base"
      ? await withSharedPostgres(plan.parallel, (shared) => runOnce({ ...settings, ...shared }, plan, variant))
      : await once(plan);
  // A developer who chose files wants to see the first failure.
  if (selection.filters.length > 0) return results;
  return await runFailedAgain(results, (labels) => once(partOf(plan, new Set(labels), variant)));
}

/** A failed file runs again with nothing else on the machine. */
function partOf(
  { parallel, onPlatform, onUpPlatform, onConsolePlatform, alone }: Plan,
  labels: ReadonlySet<string>,
  variant: PlatformVariant,
): Plan {
  const each = (runs: readonly PlannedRun[], label = (file: string) => file): readonly PlannedRun[] =>
    runs.flatMap((run) => run.files.filter((file) => labels.has(label(file))).map((file) => ({ ...run, files: [file] })));
  const shared = (runs: readonly PlannedRun[], on = variant) => each(runs, (file) => labelOf(file, on));
  return {
    parallel: [],
    onPlatform: shared(onPlatform),
    onUpPlatform: shared(onUpPlatform, "up"),
    onConsolePlatform: shared(onConsolePlatform),
    alone: [...each(parallel), ...each(alone)],
  };
}

async function runOnce(settings: RunSettings, plan: Plan, variant: PlatformVariant): Promise<readonly FileResult[]> {
  // One more than cores: many tests wait.
  const parallel = (): Promise<readonly FileResult[]> => runAll(settings, plan.parallel, availableParallelism() + 1);
  const onPlatform = (): Promise<readonly FileResult[]> => runOnPlatform(settings, plan.onPlatform, variant);
  const onUpPlatform = () => runOnPlatform(settings, plan.onUpPlatform, "up");
  const onConsolePlatform = () => runOnPlatform(settings, plan.onConsolePlatform, variant, consoleOptions);
  // A production platform takes the whole machine.
  const first =
    variant === "embedded"
      ? await Promise.all([onPlatform(), parallel()])
      : [await parallel(), await onPlatform(), await onUpPlatform(), await onConsolePlatform()];
  const results = [...first.flat(), ...(await runAll(settings, plan.alone, 1))];
  return results.sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** One platform for all these files: starting it takes as long as running most of them. */
async function runOnPlatform(
  settings: RunSettings,
  runs: readonly PlannedRun[],
  variant: PlatformVariant,
  options: Readonly<Record<string, string>> = {},
): Promise<readonly FileResult[]> {
  if (runs.length === 0) return [];
  const label = (file: string): string => labelOf(file, variant);
  const platform = await startSharedPlatform(settings.root, settings.scratch, variant, options).catch((error: unknown) => ({
    failed: String(error),
  }));
  if (!("stop" in platform)) {
    const results = runs.flatMap(({ files }) => files.map((file) => withoutPlatform(label(file), platform)));
    for (const result of results) process.stdout.write(describeFile(result));
    return results;
  }
  try {
    return await runAll({ ...settings, environment: { ...settings.environment, ...platform.environment } }, runs, 1, label);
  } finally {
    await platform.stop();
  }
}

async function runAll(
  settings: RunSettings,
  runs: readonly PlannedRun[],
  workers: number,
  label: (file: string) => string = (file) => file,
): Promise<readonly FileResult[]> {
  const waiting = [...runs];
  const results: FileResult[] = [];
  const worker = async (): Promise<void> => {
    for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) {
      const done = (await runFiles(settings, run)).map((result) => ({ ...result, file: label(result.file) }));
      for (const result of done) process.stdout.write(describeFile(result));
      results.push(...done);
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, runs.length) }, worker));
  return results;
}

function labelOf(file: string, variant: PlatformVariant): string {
  return variant === "embedded" ? file : `${file} (${variant})`;
}
