import type { StoredResult } from "./report.ts";

/** What the picture shows: a bench, and what its requests need. */
const groups: readonly { readonly bench: string; readonly title: string }[] = [
  { bench: "proxy-session", title: "A request with a session, a permission and a limit" },
  { bench: "proxy-public", title: "A request of a public route" },
];

const figurePrefix = "CPU, ";
const platform = "platform";

/** Pixels. */
const [width, labelWidth, valueWidth] = [800, 350, 70] as const;
const [barHeight, barGap, titleHeight, groupGap, margin] = [18, 8, 30, 18, 16] as const;

interface Bar {
  readonly name: string;
  readonly microseconds: number;
}

/** Returns `docs/performance.svg`: the processor time of a request, by gateway. Colours follow the reader's light or dark theme. */
export function toPerformancePicture(results: readonly StoredResult[]): string {
  const shown = groups.map(({ bench, title }) => ({ title, bars: barsOf(results.find((result) => result.bench === bench)) }));
  const longest = Math.max(1, ...shown.flatMap(({ bars }) => bars.map(({ microseconds }) => microseconds)));
  const lines: string[] = [];
  let y: number = margin;
  for (const { title, bars } of shown) {
    lines.push(`<text class="title" x="0" y="${y + 14}">${escaped(title)}</text>`);
    y += titleHeight;
    for (const bar of bars) {
      lines.push(...barLines(bar, y, longest));
      y += barHeight + barGap;
    }
    y += groupGap;
  }
  const spoken = shown.map(({ title, bars }) => `${title}: ${bars.map(textOf).join(", ")}.`).join(" ");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" role="img">
<title>${escaped(spoken)}</title>
<style>
text { font: 14px system-ui, sans-serif; fill: #1f2933 }
.title { font-weight: 600 }
.own { font-weight: 600 }
rect { fill: #9aa5b1 }
rect.own { fill: #1971c2 }
@media (prefers-color-scheme: dark) {
text { fill: #e4e7eb }
rect { fill: #616e7c }
rect.own { fill: #4dabf7 }
}
</style>
${lines.join("\n")}
</svg>
`;
}

function barsOf(result: StoredResult | undefined): readonly Bar[] {
  const figures = result?.figures.filter(({ name }) => name.startsWith(figurePrefix)) ?? [];
  return figures
    .map(({ name, median }) => ({ name: name.slice(figurePrefix.length), microseconds: median }))
    .sort((a, b) => a.microseconds - b.microseconds);
}

function barLines(bar: Bar, y: number, longest: number): readonly string[] {
  const isOwn = bar.name === platform ? ' class="own"' : "";
  const length = Math.max(1, Math.round((bar.microseconds / longest) * (width - labelWidth - valueWidth)));
  const baseline = y + 14;
  return [
    `<text${isOwn} x="${labelWidth - 10}" y="${baseline}" text-anchor="end">${escaped(shortName(bar.name))}</text>`,
    `<rect${isOwn} x="${labelWidth}" y="${y}" width="${length}" height="${barHeight}" rx="2"/>`,
    `<text${isOwn} x="${labelWidth + length + 8}" y="${baseline}">${Math.round(bar.microseconds)} µs</text>`,
  ];
}

function shortName(name: string): string {
  return name === platform ? "Appserver" : name;
}

function textOf({ name, microseconds }: Bar): string {
  return `${shortName(name)} ${Math.round(microseconds)} µs`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
