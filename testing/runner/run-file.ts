import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CaseResult, FileResult } from "./case-result.ts";
import { labelOf, type PlannedFile } from "./plan.ts";

const reporter = new URL("./reporter.ts", import.meta.url).href;
/** Time between SIGTERM and SIGKILL to a process group. */
const graceMs = 3_000;
const maxOutput = 20_000;

/** Process groups of the running test files. */
const running = new Set<number>();

/** Ends every running test file with all processes that it started. */
export function endAll(): void {
  for (const group of running) signalGroup(group, "SIGKILL");
}

/**
 * Runs one test file in its own process group, with `environment` added to this process's, and returns the results of its
 * tests. Does not reject if a test fails.
 */
export async function runFile(
  root: string,
  scratch: string,
  planned: PlannedFile,
  environment: Readonly<Record<string, string>> = {},
): Promise<FileResult> {
  const { file, timeoutMs } = planned;
  const label = labelOf(planned);
  const started = performance.now();
  const events = join(scratch, `${label.replaceAll("/", "__")}.ndjson`);
  const flags = [
    "--disable-warning=ExperimentalWarning",
    `--test-reporter=${reporter}`,
    `--test-reporter-destination=${events}`,
  ];
  const child = spawn(process.execPath, [...flags, join(root, file)], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const output = collectOutput(child);
  const ending = await ended(child, timeoutMs);
  const cases = await readCases(events);
  const problem = problemOf(ending, cases, timeoutMs);
  return {
    file: label,
    cases: problem === undefined ? cases : [...cases, { name: "the file as a whole", outcome: "failed", error: problem }],
    seconds: (performance.now() - started) / 1000,
    output: output(),
  };
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

async function readCases(events: string): Promise<readonly CaseResult[]> {
  const text = await readFile(events, "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as CaseResult);
}

/** Returns a problem other than failed tests: a file must declare tests, end by itself and exit with code 0. */
function problemOf({ code, signal, timedOut }: Ending, cases: readonly CaseResult[], timeoutMs: number): string | undefined {
  if (timedOut) return `did not end within ${timeoutMs / 1000} s and was killed`;
  if (signal !== null) return `was killed by ${signal}`;
  if (code !== 0 && !cases.some(({ outcome }) => outcome === "failed")) return `ended with code ${code} and no failed test`;
  if (cases.length === 0) return "declares no test";
  return undefined;
}
