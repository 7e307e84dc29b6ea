// `npm run check [step ...]`: checks every rule for code and contracts. Each step is a file in tools/checks.
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";

/** Longest first, which minimises the total time. */
const steps = {
  "import-law-canary": "the import law's check sees a planted violation of every rule",
  "import-law": "imports stay within the import law",
  promises: "no promise is forgotten",
  types: "types hold",
  options: "every option has a reader and one default",
  unused: "nothing is unused",
  generated: "generated files are up to date",
  contracts: "contracts are well formed and break nothing",
  "format-and-lint": "format and lint",
  "foreign-words": "no path of one machine",
  citations: "every citation leads somewhere",
  prose: "comments and pages are plain English",
  timers: "timers and races are the kernel's",
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
const asked = process.argv.slice(2);
const unknown = asked.filter((step) => !known.includes(step));
if (unknown.length > 0) {
  process.stderr.write(`no step ${unknown.join(", ")}; there are: ${known.join(", ")}\n`);
  process.exit(2);
}
const started = performance.now();
const outcomes = await runAll(asked.length > 0 ? asked : known);
for (const { step, passed, seconds } of outcomes) {
  const promise = steps[step as keyof typeof steps];
  process.stdout.write(`${passed ? "ok    " : "FAILED"}  ${step.padEnd(18)} ${seconds.toFixed(1).padStart(5)} s  ${promise}\n`);
}
const failed = outcomes.filter(({ passed }) => !passed).length;
const total = ((performance.now() - started) / 1000).toFixed(1);
process.stdout.write(`${outcomes.length - failed} of ${outcomes.length} steps passed in ${total} s\n`);
process.exitCode = failed === 0 ? 0 : 1;
