import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CaseResult, FileResult, ReportLine } from "./case-result.ts";
import type { PlannedRun } from "./plan.ts";

const reporter = new URL("./reporter.ts", import.meta.url).href;
const program = join(import.meta.dirname, "files-process.ts");
/** Time between SIGTERM and SIGKILL to a process group. */
const graceMs = 3_000;
const maxOutput = 20_000;

/** Process groups of the running test files. */
const running = new Set<number>();

/** Ends every running test file with all processes that it started. */
export function endAll(): void {
  for (const group of running) signalGroup(group, "SIGKILL");
}

export interface RunSettings {
  /** The working directory. Paths of files are relative to it. */
  readonly root: string;
  /** A folder for reports. */
  readonly scratch: string;
  /** Variables for the process in addition to this one's. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Runs test files one after another in one process, in its own process group. Returns a result for each file, in their order. If the
 * process ends or hangs before all files have ended, the first of the others runs in a process of its own, which shows whether it
 * is the cause, and the rest in a new one. Does not reject if a test fails.
 */
export async function runFiles(settings: RunSettings, planned: PlannedRun): Promise<readonly FileResult[]> {
  const { results, problem } = await runOnce(settings, planned);
  const [next, ...rest] = planned.files.slice(results.length);
  if (next === undefined) return results;
  const alone = await runAlone(settings, { ...planned, files: [next] }, problem);
  return [...results, alone, ...(rest.length === 0 ? [] : await runFiles(settings, { ...planned, files: rest }))];
}

/** Runs a file after a process has ended within it or soon after it. */
async function runAlone(settings: RunSettings, planned: PlannedRun, problem: string): Promise<FileResult> {
  const { results, problem: ownProblem, partial } = await runOnce(settings, planned);
  const [result] = results;
  if (result === undefined) return withFailure(partial, ownProblem);
  const isFailed = result.cases.some(({ outcome }) => outcome === "failed");
  return isFailed ? result : { ...result, unstable: [wholeFailed(`the process of several files ${problem}`)] };
}

interface Outcome {
  /** Results of the files that ended, in their order. */
  readonly results: readonly FileResult[];
  /** Why the process did not run all files. Empty if it did. */
  readonly problem: string;
  /** What is known of the first file that did not end. */
  readonly partial: FileResult;
}

async function runOnce({ root, scratch, environment = {} }: RunSettings, { files, timeoutMs }: PlannedRun): Promise<Outcome> {
  const started = performance.now();
  const events = join(scratch, `${randomUUID()}.ndjson`);
  const flags = [
    "--disable-warning=ExperimentalWarning",
    `--test-reporter=${reporter}`,
    `--test-reporter-destination=${events}`,
  ];
  // Before the process is killed, so that what hangs is named.
  const fileTimeoutMs = timeoutMs * (files.length > 1 ? 0.6 : 0.9);
  const child = spawn(process.execPath, [...flags, program, ...files], {
    cwd: root,
    env: { ...process.env, ...environment, APPSERVER_TEST_FILE_TIMEOUT_MS: String(fileTimeoutMs) },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const output = collectOutput(child);
  const ending = await ended(child, timeoutMs);
  const lines = await readReport(events);
  const took = (performance.now() - started) / 1000;
  const of = (file: string): FileResult => resultOf(file, lines, output());
  const unfinished = files.findIndex((file) => !lines.some((line) => line.file === file && "seconds" in line));
  if (unfinished >= 0) {
    const results = files.slice(0, unfinished).map(of);
    const partial = { ...of(files[unfinished] ?? ""), seconds: took };
    return { results, problem: endingOf(ending, timeoutMs) ?? "ended before its tests", partial };
  }
  const results = files.map(of).map((result) => (result.cases.length === 0 ? withFailure(result, "declares no test") : result));
  const isFailed = results.some(({ cases }) => cases.some(({ outcome }) => outcome === "failed"));
  const isExplained = isFailed && ending.signal === null && !ending.timedOut;
  const problem = isExplained ? undefined : endingOf(ending, timeoutMs);
  const last = results.at(-1);
  // Whatever kept the process from ending in order may come from any file. The last one reports it.
  const reported =
    problem === undefined || last === undefined
      ? results
      : [...results.slice(0, -1), withFailure(last, `its process ${problem}`)];
  return { results: reported, problem: "", partial: of("") };
}

function resultOf(file: string, lines: readonly ReportLine[], output: string): FileResult {
  const own = lines.filter((line) => line.file === file);
  const cases = own.flatMap((line): readonly CaseResult[] => {
    if ("seconds" in line) return [];
    const { file: _, ...result } = line;
    return [result];
  });
  const seconds = own.reduce((sum, line) => ("seconds" in line ? sum + line.seconds : sum), 0);
  return { file, cases, seconds, output };
}

function wholeFailed(error: string): CaseResult {
  return { name: "the file as a whole", outcome: "failed", error };
}

function withFailure(result: FileResult, error: string): FileResult {
  return { ...result, cases: [...result.cases, wholeFailed(error)] };
}

interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
}

async function ended(child: ChildProcess, timeoutMs: number): Promise<Ending> {
  const group = child.pid;
  if (group !== undefined) running.add(group);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    if (group === undefined) return;
    signalGroup(group, "SIGTERM");
    setTimeout(() => signalGroup(group, "SIGKILL"), graceMs).unref();
  }, timeoutMs);
  try {
    // Not "close": processes that the test left running may keep the pipes open forever.
    return await new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", (code, signal) => resolve({ code, signal, timedOut }));
    });
  } finally {
    clearTimeout(timer);
    if (group !== undefined) {
      running.delete(group);
      signalGroup(group, "SIGKILL");
    }
  }
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // The process group is empty.
  }
}

function collectOutput(child: ChildProcess): () => string {
  let text = "";
  const add = (chunk: string): void => {
    text = (text + chunk).slice(-maxOutput);
  };
  child.stdout?.setEncoding("utf8").on("data", add);
  child.stderr?.setEncoding("utf8").on("data", add);
  return () => text;
}

async function readReport(events: string): Promise<readonly ReportLine[]> {
  const text = await readFile(events, "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as ReportLine);
}

/** Returns why the end of a process was not in order. A failed test explains a code other than 0. */
function endingOf({ code, signal, timedOut }: Ending, timeoutMs: number): string | undefined {
  if (timedOut) return `did not end within ${timeoutMs / 1000} s and was killed`;
  if (signal !== null) return `was killed by ${signal}`;
  return code === 0 ? undefined : `ended with code ${code} and no failed test`;
}
