// `npm run bench -- <name>... [--rounds 5] [--check]`: measures, writes results/<name>.json and .md, and docs/performance.md with its picture
// from all results. With --check it compares with the stored results instead, and fails if a ratio is more than 15 % off or a target is
// missed. With --all instead of a name it runs every bench. Several benches run each in a process of its own.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Bench, holds } from "./bench.ts";
import { performancePage, performancePicture, resultsFolder, storedResults, toPerformancePage } from "./performance-page.ts";
import { toPerformancePicture } from "./performance-picture.ts";
import { regressions, type StoredResult, toMarkdown, toResult } from "./report.ts";

const known = readdirSync(import.meta.dirname).filter((name) => existsSync(join(import.meta.dirname, name, "bench.ts")));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    check: { type: "boolean", default: false },
    all: { type: "boolean", default: false },
  },
});
const names = values.all ? known : positionals;
const [name = ""] = names;
const rounds = Number(values.rounds);
const areKnown = names.length > 0 && names.every((each) => known.includes(each));
if (!areKnown || !Number.isInteger(rounds) || rounds < 1) {
  process.stderr.write(`npm run bench -- <${known.join(" | ")}>... | --all [--rounds 5] [--check]\n`);
  process.exit(2);
}
process.exitCode = names.length > 1 ? runEach() : await run();

async function run(): Promise<number> {
  const { bench } = (await import(`./${name}/bench.ts`)) as { readonly bench: Bench };
  const [before = 0] = loadavg();
  // Before this process is pinned to a core.
  const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? "unknown"}, Node ${process.versions.node}, load ${before.toFixed(1)} before`;
  const stopping = new AbortController();
  process.once("SIGINT", () => stopping.abort(new Error("stopped by Ctrl-C")));
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  const measured = await bench.measure({ rounds, log, signal: stopping.signal });
  const about = { bench: name, work: bench.work, at: new Date().toISOString(), machine, rounds };
  const result = toResult(about, measured);
  process.stdout.write(toMarkdown(result));
  return values.check ? check(result) : store(result);
}

/** A bench pins its process to a core, so the next one needs another process. A failed bench does not stop the others. */
function runEach(): number {
  const own = [...process.execArgv, process.argv[1] ?? ""];
  const failed = names.filter((each) => {
    process.stderr.write(`── ${each} ──\n`);
    const options = ["--rounds", String(rounds), ...(values.check ? ["--check"] : [])];
    return spawnSync(process.execPath, [...own, each, ...options], { stdio: "inherit" }).status !== 0;
  });
  process.stderr.write(
    `${names.length - failed.length} of ${names.length} benches passed${failed.map((each) => ` ✗ ${each}`).join("")}\n`,
  );
  return failed.length === 0 ? 0 : 1;
}

function store(stored: StoredResult): number {
  mkdirSync(resultsFolder, { recursive: true });
  writeFileSync(join(resultsFolder, `${name}.json`), `${JSON.stringify(stored, undefined, 2)}\n`);
  writeFileSync(join(resultsFolder, `${name}.md`), toMarkdown(stored));
  const all = storedResults();
  writeFileSync(performancePage, toPerformancePage(all));
  writeFileSync(performancePicture, toPerformancePicture(all));
  return 0;
}

function check(stored: StoredResult): number {
  const file = join(resultsFolder, `${name}.json`);
  const baseline = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as StoredResult) : undefined;
  const missed = stored.figures.filter((figure) => !holds(figure)).map((figure) => `${figure.name}: target missed`);
  const found = [...(baseline ? regressions(stored, baseline) : ["there is no baseline"]), ...missed];
  for (const line of found) process.stderr.write(`${line}\n`);
  return found.length === 0 ? 0 : 1;
}
