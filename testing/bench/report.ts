import { type Figure, holds, type Measurement, median, targetText } from "./bench.ts";

/** A run as it is stored in `results/<name>.json`. */
export interface StoredResult {
  readonly bench: string;
  readonly work: string;
  readonly at: string;
  readonly machine: string;
  readonly rounds: number;
  readonly figures: readonly (Figure & { readonly median: number; readonly min: number; readonly max: number })[];
  readonly notes: readonly string[];
}

/** Maximum deviation of a ratio from its baseline; a larger one fails the comparison. */
const tolerance = 0.15;

export function toResult(
  about: Pick<StoredResult, "bench" | "work" | "at" | "machine" | "rounds">,
  { figures, notes }: Measurement,
): StoredResult {
  const summed = figures.map((figure) => ({
    ...figure,
    samples: figure.samples.map(rounded),
    median: rounded(median(figure.samples)),
    min: rounded(Math.min(...figure.samples)),
    max: rounded(Math.max(...figure.samples)),
  }));
  return { ...about, figures: summed, notes };
}

export function toMarkdown({ bench, work, at, machine, rounds, figures, notes }: StoredResult): string {
  const rows = figures.map((figure) => {
    const { name, unit, min, max } = figure;
    return `| ${name} | ${figure.median} | ${min} | ${max} | ${unit} | ${outcome(figure)} |`;
  });
  return [
    `# Bench: ${bench}`,
    "",
    `${work} ${rounds} rounds, ${at}, ${machine}.`,
    "",
    "| figure | median | min | max | unit | target |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows,
    "",
    ...notes.map((note) => `- ${note}`),
    "",
  ].join("\n");
}

/** Returns the ratios that moved more than 15 % from the baseline, up or down: the baseline is then outdated. */
export function regressions(result: StoredResult, baseline: StoredResult): readonly string[] {
  return result.figures.flatMap((figure) => {
    const before = baseline.figures.find(({ name }) => name === figure.name)?.median;
    if (figure.isRatio !== true || before === undefined) return [];
    const change = figure.median / before - 1;
    if (Math.abs(change) <= tolerance) return [];
    return [`${figure.name} is ${figure.median}, ${Math.round(change * 100)} % away from the baseline's ${before}`];
  });
}

function outcome(figure: Figure): string {
  return figure.target ? `${targetText(figure.target)} ${holds(figure) ? "held" : "**missed**"}` : "";
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
