// `npm run check [step ...]`: checks every rule for code and contracts. Each step is a file in tools/checks.
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";

/** Longest first, which minimises the total time. */
const steps = {
  "import-law-canary": "the import law refuses a sample violation of every rule",
  "import-law": "imports stay within the import law",
  promises: "every promise is handled",
  types: "types are correct",
  options: "every option has a reader and one default",
  unused: "no unused code",
  generated: "generated files are up to date",
  contracts: "contracts are valid and compatible",
  "format-and-lint": "format and lint",
  "foreign-words": "no machine-specific paths or words",
  citations: "every citation has a target",
  prose: "comments, pages and messages are plain English",
  timers: "only the kernel uses timers and races",
} as const;

interface Outcome {
  readonly step: string;
  readonly passed: boolean;
  readonly seconds: number;
  readonly output: string;
}

function run(step: string): Promise<Outcome> {
  const started = performance.now();
  const script = join(import.meta.dirname, "checks", `${step}.ts`);
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const collect = (chunk: string): void => {
    output += chunk;
  };
  child.stdout.setEncoding("utf8").on("data", collect);
  child.stderr.setEncoding("utf8").on("data", collect);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ step, passed: code === 0, seconds: (performance.now() - started) / 1000, output }));
  });
}

async function runAll(names: readonly string[]): Promise<readonly Outcome[]> {
  const waiting = [...names];
  const outcomes: Outcome[] = [];
  const worker = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const outcome = await run(step);
      outcomes.push(outcome);
      if (!outcome.passed) process.stdout.write(`── ${step} ──\n${outcome.output.trimEnd()}\n\n`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), names.length) }, worker));
  return names.flatMap((name) => outcomes.filter(({ step }) => step === name));
}

const known = Object.keys(steps);
const requested = process.argv.slice(2);
const unknown = requested.filter((step) => !known.includes(step));
if (unknown.length > 0) {
  process.stderr.write(`no step ${unknown.join(", ")}; there are: ${known.join(", ")}\n`);
  process.exit(2);
}
const started = performance.now();
const outcomes = await runAll(requested.length > 0 ? requested : known);
for (const { step, passed, seconds } of outcomes) {
  const promise = steps[step as keyof typeof steps];
  process.stdout.write(`${passed ? "ok    " : "FAILED"}  ${step.padEnd(18)} ${seconds.toFixed(1).padStart(5)} s  ${promise}\n`);
}
const failed = outcomes.filter(({ passed }) => !passed).length;
const total = ((performance.now() - started) / 1000).toFixed(1);
process.stdout.write(`${outcomes.length - failed} of ${outcomes.length} steps passed in ${total} s\n`);
process.exitCode = failed === 0 ? 0 : 1;
