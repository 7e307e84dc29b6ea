import type { CaseResult, FileResult } from "./case-result.ts";

/** Every failure of a fault test counts: a write that was lost once is lost. */
const strictPrefix = "testing/faults/";
/** If more files fail, the cause is not the machine. */
const maxFiles = 5;

/**
 * Returns the results of a phase after a second run of each file that failed, alone on the machine. The failures of the first
 * run stay visible as `unstable`. Results of fault tests, and of a phase in which many files failed, are returned unchanged.
 */
export async function runFailedAgain(
  results: readonly FileResult[],
  run: (files: readonly string[]) => Promise<readonly FileResult[]>,
): Promise<readonly FileResult[]> {
  const again = results.filter((result) => hasFailed(result) && !result.file.startsWith(strictPrefix));
  if (again.length === 0 || again.length > maxFiles) return results;
  const second = new Map((await run(again.map(({ file }) => file))).map((result) => [result.file, result]));
  return results.map((first) => withSecondRun(first, second.get(first.file)));
}

function withSecondRun(first: FileResult, second: FileResult | undefined): FileResult {
  if (second === undefined) return first;
  const repeated = new Set(second.cases.filter(isFailure).map(({ name }) => name));
  return { ...second, unstable: first.cases.filter((result) => isFailure(result) && !repeated.has(result.name)) };
}

function hasFailed({ cases }: FileResult): boolean {
  return cases.some(isFailure);
}

function isFailure({ outcome }: CaseResult): boolean {
  return outcome === "failed";
}
