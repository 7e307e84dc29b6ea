import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { holds, targetText } from "./bench.ts";
import type { StoredResult } from "./report.ts";

export const resultsFolder: string = join(import.meta.dirname, "results");
export const performancePage: string = resolve(import.meta.dirname, "../../docs/performance.md");
export const performancePicture: string = resolve(import.meta.dirname, "../../docs/images/performance.svg");

/** Returns the stored results of all benches, by name. */
export function storedResults(): readonly StoredResult[] {
  const files = readdirSync(resultsFolder).filter((file) => file.endsWith(".json"));
  return files.sort().map((file) => JSON.parse(readFileSync(join(resultsFolder, file), "utf8")) as StoredResult);
}

/** Returns `docs/performance.md`: every figure that has a target, and where each bench ran. */
export function toPerformancePage(results: readonly StoredResult[]): string {
  const targets = results.flatMap(({ bench, figures }) => {
    const targeted = figures.filter(({ target }) => target !== undefined);
    return targeted.map((figure) => {
      const { name, unit, target } = figure;
      const outcome = holds(figure) ? "held" : "**missed**";
      return `| ${link(bench)} | ${name} | ${`${figure.median} ${unit}`.trim()} | ${target ? targetText(target) : ""} | ${outcome} |`;
    });
  });
  const runs = results.map(({ bench, work, at, machine, rounds }) => {
    return `| ${link(bench)} | ${work} | ${rounds} | ${at.slice(0, 10)} | ${machine} |`;
  });
  return `<!-- Generated from testing/bench/results by \`npm run bench\`. Do not edit. -->

# Performance

![Processor time of a request, by gateway](images/performance.svg)

The bars are user and system time of the serving processes, from the benches [proxy-session](../testing/bench/results/proxy-session.md) and
[proxy-public](../testing/bench/results/proxy-public.md), which say what each peer does.

Machines differ and are noisy. So each bench measures the platform and its peers in the same rounds, in turn, and most targets are
ratios to a peer. CPU is user and system time of the serving process for a request, and changes little with other load. The first
round warms up and does not count.

Each bench has a page with all figures, their minimum and maximum, and what its peers do.

## Targets

The figure is the median over the rounds.

| bench | figure | median | target | |
| --- | --- | --- | --- | --- |
${targets.join("\n")}

## Runs

| bench | work | rounds | date | machine |
| --- | --- | --- | --- | --- |
${runs.join("\n")}

## Repeating them

As root on Debian, with two cores or more and nothing else running:

| command | what it does |
| --- | --- |
| \`npm run bench -- proxy-public\` | measures, and stores the results and this page |
| \`npm run bench -- proxy-public --rounds 9\` | the same with more rounds; the default is 5 |
| \`npm run bench -- proxy-public --check\` | measures, and fails if a target is missed or a ratio is more than 15 % off the stored one |
| \`npm run bench -- --all\` | runs all benches, one after the other; works with \`--check\` |

Servers and peers are installed at their first use.
`;
}

function link(bench: string): string {
  return `[${bench}](../testing/bench/results/${bench}.md)`;
}
