import { isAcceptedSkip } from "./accepted-skips.ts";
import type { CaseResult, FileResult } from "./case-result.ts";

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

function countCases(cases: readonly CaseResult[]): Counts {
  const of = (outcome: CaseResult["outcome"]): number => cases.filter((result) => result.outcome === outcome).length;
  return { passed: of("passed"), failed: of("failed"), skipped: of("skipped") };
}

/** Returns the output for a finished file: one line, and the details of each failure. */
export function describeFile({ file, cases, seconds, output }: FileResult): string {
  const { passed, failed, skipped } = countCases(cases);
  const mark = failed > 0 ? "FAILED" : passed === 0 ? "not run" : "ok";
  const counts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  const line = `${mark.padEnd(8)}${file}  ${counts.join(", ")}  ${seconds.toFixed(1)} s\n`;
  if (failed === 0) return line;
  const failures = withErrors(cases).map(({ name, error }) => `\n  ✗ ${name}\n${indent(error ?? "")}\n`);
  const shownOutput = output.trim() === "" ? "" : `\n  its output:\n${indent(output.trim())}\n`;
  return `${line}${failures.join("")}${shownOutput}\n`;
}

/**
 * Returns the output for the whole run: where its time went, skipped tests with reasons, failures, and only the counts on the
 * last line. `seconds`: how long it took.
 */
export function describeRun(
  results: readonly FileResult[],
  everythingMustRun: boolean,
  seconds: number,
): { text: string; passed: boolean } {
  const all = results.flatMap(({ file, cases }) => cases.map((result) => ({ file, ...result })));
  const skipped = all.filter(({ outcome }) => outcome === "skipped");
  const refused = everythingMustRun ? skipped.filter(({ reason }) => !isAcceptedSkip(reason ?? "")) : [];
  const failed = all.filter(({ outcome }) => outcome === "failed");
  const unstable = results.flatMap(({ file, unstable = [] }) => unstable.map((result) => ({ file, ...result })));
  const parts = [
    section(`Slowest files of ${results.length}, in ${seconds.toFixed(0)} s:`, slowest(results)),
    section("Seconds per folder:", perFolder(results)),
    section("Not run:", groupSkips(skipped)),
    section("Not run, and must run here (CI=true):", groupSkips(refused)),
    section("Failed in a first run, passed in a second one:", withErrors(unstable).map(failureOf)),
    section("Failed:", withErrors(failed).map(failureOf)),
  ];
  const counts = countCases(all);
  const last = `${counts.passed} passed, ${counts.failed + refused.length} failed, ${counts.skipped - refused.length} skipped\n`;
  return { text: `\n${parts.join("")}${last}`, passed: failed.length === 0 && refused.length === 0 };
}

const shownFiles = 10;

function slowest(results: readonly FileResult[]): readonly string[] {
  const sorted = [...results].sort((a, b) => b.seconds - a.seconds).slice(0, shownFiles);
  return sorted.map(({ file, seconds }) => `${inSeconds(seconds)}  ${file}`);
}

/** One line per folder: `services/hooks`, `testing/contract`, `kernel`. */
function perFolder(results: readonly FileResult[]): readonly string[] {
  const groups = Map.groupBy(results, ({ file }) => file.split("/").slice(0, -1).slice(0, 2).join("/"));
  const sums = [...groups].map(([folder, files]) => ({ folder, sum: files.reduce((sum, { seconds }) => sum + seconds, 0) }));
  return sums.sort((a, b) => b.sum - a.sum).map(({ folder, sum }) => `${inSeconds(sum)}  ${folder}`);
}

function inSeconds(seconds: number): string {
  return seconds.toFixed(1).padStart(7);
}

/** Tests that could not run have no error. Their suite's failure says why. */
function withErrors<T extends CaseResult>(cases: readonly T[]): readonly T[] {
  return cases.filter(({ outcome, isCancelled }) => outcome === "failed" && !isCancelled);
}

function failureOf({ file, name, error = "" }: CaseResult & { readonly file: string }): string {
  const [message = ""] = error.split("\n");
  return `${file}: ${name}\n    ${message}`;
}

/** One line per file and reason, because a suite without its component skips all its tests for the same reason. */
function groupSkips(skipped: readonly (CaseResult & { readonly file: string })[]): readonly string[] {
  const groups = Map.groupBy(skipped, ({ file, reason }) => `${file}: ${reason}`);
  return [...groups].map(([group, cases]) => `${group} (${cases.map(({ name }) => name).join("; ")})`);
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${title}\n${lines.map((line) => `  ${line}`).join("\n")}\n\n`;
}

function indent(text: string): string {
  return text.replace(/^/gm, "    ");
}
