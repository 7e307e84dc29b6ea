import { Paper, Text, useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import UPlot from "uplot";
import { locale } from "../i18n.ts";

export interface Line {
  readonly label: string;
  readonly light: string;
  readonly dark: string;
  readonly values: readonly (number | null)[];
}

/** A moment that all charts of a page show, as that of a deploy. */
export interface Mark {
  /** Milliseconds. */
  readonly at: number;
  readonly text: string;
}

interface ChartProps {
  readonly title: string;
  readonly summary: string;
  readonly unit: string;
  /** Of the steps, in milliseconds. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly marks?: readonly Mark[] | undefined;
  readonly label: string;
  readonly heightPx: number;
  /** Whether the values are counts, so that the axis has whole numbers. */
  readonly isCount?: boolean;
  /** Shows a value of the axis and of the legend. */
  readonly valueText?: ((value: number) => string) | undefined;
  /** Receives the step that was clicked, in milliseconds. */
  readonly onStep?: ((at: number) => void) | undefined;
}

const time = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const timeOf = (seconds: number): string => time.format(seconds * 1_000);
const numberText = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 });
/** On a phone charts are below each other. */
const lowPx = 110;
const wholeIncrements = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();
/** As many values have points of their own: a line of one value is none. */
const fewValues = 4;

/** Shows lines over time. The cursors of all charts of a page move together. */
export function Chart(props: ChartProps) {
  const { title, summary, unit, lines, label, heightPx, isCount = false, valueText = compact, onStep } = props;
  const isEmpty = lines.every(({ values }) => values.every((value) => value === null));
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<UPlot>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const form = JSON.stringify(lines.map(lookOf));
  useEffect(() => {
    const element = place.current;
    if (!element || isEmpty) return;
    const phone = matchMedia("(max-width: 36em)");
    const size = () => ({
      width: element.clientWidth,
      height: phone.matches ? Math.min(heightPx, lowPx) : heightPx,
    });
    const options = { ...optionsOf(JSON.parse(form), { scheme, unit, isCount, valueText }), ...size() };
    const plot = new UPlot(options, dataOf(latest.current), element);
    showMarks(plot, latest.current.marks);
    // Over a mark, the cursor of the chart has no place.
    plot.over.addEventListener("click", ({ clientX }) => {
      const at = plot.data[0][plot.posToIdx(clientX - plot.over.getBoundingClientRect().left)];
      if (at !== undefined) latest.current.onStep?.(at * 1_000);
    });
    drawn.current = plot;
    const observer = new ResizeObserver(() => plot.setSize(size()));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [form, scheme, unit, heightPx, isCount, valueText, isEmpty]);
  const { times, marks } = props;
  // The cursor, and the text of a mark under it, stay while values are read again.
  useEffect(() => drawn.current?.setData(dataOf({ times, lines })), [times, lines]);
  useEffect(() => drawn.current && showMarks(drawn.current, marks), [marks]);
  return (
    <Paper withBorder p="md" className="chart-card">
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      {!isEmpty && (
        <Text fw={600} mb="xs">
          {summary}
        </Text>
      )}
      {isEmpty ? (
        <div className="chart chart-empty" style={{ height: heightPx }}>
          {summary}
        </div>
      ) : (
        <div
          ref={place}
          className="chart"
          data-leads={onStep && true}
          data-lines={lines.length}
          role="img"
          aria-label={label}
        />
      )}
    </Paper>
  );
}

interface Look extends Omit<Line, "values"> {
  /** Whether nothing happened: then it is a grey line. */
  readonly isZero: boolean;
}

function lookOf({ label, light, dark, values }: Line): Look {
  return { label, light, dark, isZero: values.every((value) => !value) };
}

function compact(value: number): string {
  return numberText.format(value);
}

function dataOf({ times, lines }: Pick<ChartProps, "times" | "lines">): UPlot.AlignedData {
  return [times.map((at) => at / 1_000), ...lines.map(({ values }) => [...values])];
}

interface LookOptions extends Required<Pick<ChartProps, "unit" | "isCount">> {
  readonly scheme: "light" | "dark";
  readonly valueText: (value: number) => string;
}

function optionsOf(
  lines: readonly Look[],
  { scheme, unit, isCount, valueText }: LookOptions,
): Omit<UPlot.Options, "width" | "height"> {
  const stroke = scheme === "dark" ? "#b8bcc1" : "#495057";
  const grid = { stroke: scheme === "dark" ? "#34383e" : "#e9ecef", width: 1 };
  const idle = scheme === "dark" ? "#6b747e" : "#adb5bd";
  const axis = { stroke, grid, ticks: { show: false }, font: "11px system-ui" };
  return {
    cursor: { sync: { key: "times" }, drag: { x: false, y: false }, points: { size: 6 } },
    legend: { show: true, live: true },
    padding: [8, 12, 0, 0],
    scales: {
      x: { range: (self) => wholeSteps(self.data[0]) },
      y: { range: (_self, _min, max) => [0, max ? max * 1.1 : 1] },
    },
    axes: [
      { ...axis, size: 28, space: 60, values: (_self, ticks) => ticks.map(timeOf) },
      { ...axis, size: 48, values: (_self, ticks) => ticks.map(valueText), ...(isCount && { incrs: wholeIncrements }) },
    ],
    series: [
      { label: "at", value: (_self, at) => (at === null ? "" : timeOf(at)) },
      ...lines.map(({ label, light, dark, isZero }, index) => ({
        label: unit === "" ? label : `${label}, ${unit}`,
        stroke: isZero ? idle : scheme === "dark" ? dark : light,
        width: 2,
        spanGaps: true,
        value: (self: UPlot, value: number | null) => {
          if (value !== null) return valueText(value);
          return self.cursor.idx == null ? "" : "–";
        },
        points: { show: hasFewValues, size: 4 },
        ...(index === 0 && lines.length === 1 && { fill: `${scheme === "dark" ? dark : light}1c` }),
      })),
    ],
    hooks: { draw: [placeMarks] },
  };
}

/** What happens in the last step is in the chart, too. */
function wholeSteps(seconds: ArrayLike<number>): [number, number] {
  const [first = 0, second = first, last = first] = [seconds[0], seconds[1], seconds[seconds.length - 1]];
  return [first, last + second - first];
}

function hasFewValues(self: UPlot, index: number): boolean {
  const values = self.data[index] as readonly (number | null)[];
  return values.filter((value) => value !== null).length <= fewValues;
}

function showMarks(plot: UPlot, marks: readonly Mark[] = []): void {
  for (const element of plot.over.querySelectorAll(".chart-mark")) element.remove();
  plot.over.append(...marks.map(elementOf));
  placeMarks(plot);
}

function elementOf({ at, text }: Mark): HTMLElement {
  const element = document.createElement("div");
  element.className = "chart-mark";
  element.dataset["at"] = String(at);
  element.dataset["text"] = text;
  return element;
}

function placeMarks(plot: UPlot): void {
  const width = plot.over.clientWidth;
  for (const element of plot.over.querySelectorAll<HTMLElement>(".chart-mark")) {
    const left = plot.valToPos(Number(element.dataset["at"]) / 1_000, "x");
    element.style.left = `${left}px`;
    element.hidden = left < 0 || left > width;
    // The text is on the side that has more room.
    element.dataset["side"] = left > width / 2 ? "left" : "right";
  }
}
