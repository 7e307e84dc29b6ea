import { language } from "../i18n.ts";
import "uplot/dist/uPlot.min.css";
import { Paper, Text, useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import UPlot from "uplot";

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
  /** Shows a value of the axis and of the legend. */
  readonly valueText?: ((value: number) => string) | undefined;
  /** Receives the step that was clicked, in milliseconds. */
  readonly onStep?: ((at: number) => void) | undefined;
}

const time = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const timeOf = (seconds: number): string => time.format(seconds * 1_000);
const numberText = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 });
/** On a phone charts are below each other. */
const lowPx = 110;
/** As many values have points of their own: a line of one value is none. */
const fewValues = 4;

/** Shows lines over time. The cursors of all charts of a page move together. */
export function Chart(props: ChartProps) {
  const { title, summary, unit, times, lines, marks, label, heightPx, valueText, onStep } = props;
  const place = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const shown = valueText ?? ((value: number) => numberText.format(value));
    const text = scheme === "dark" ? "#b8bcc1" : "#495057";
    const grid = { stroke: scheme === "dark" ? "#34383e" : "#e9ecef", width: 1 };
    const axis = { stroke: text, grid, ticks: { show: false }, font: "11px system-ui" };
    const seconds = times.map((at) => at / 1_000);
    const stepSeconds = (seconds[1] ?? 0) - (seconds[0] ?? 0);
    const height = matchMedia("(max-width: 36em)").matches ? Math.min(heightPx, lowPx) : heightPx;
    const markElements = (marks ?? []).map((mark) => [mark, elementOf(mark)] as const);
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height,
        cursor: { sync: { key: "times" }, drag: { x: false, y: false }, points: { size: 6 } },
        legend: { show: true, live: true },
        scales: {
          // What happens in the last step is in the chart, too.
          x: { range: () => [seconds[0] ?? 0, (seconds.at(-1) ?? 0) + stepSeconds] },
          y: { range: (_self, _min, max) => [0, max ? max * 1.1 : 1] },
        },
        axes: [
          { ...axis, size: 28, space: 60, values: (_self, ticks) => ticks.map(timeOf) },
          { ...axis, size: 56, values: (_self, ticks) => ticks.map(shown) },
        ],
        series: [
          { label: "at", value: (_self, at) => (at === null ? "" : timeOf(at)) },
          ...lines.map(({ label: name, light, dark, values }, index) => ({
            label: unit === "" ? name : `${name}, ${unit}`,
            stroke: scheme === "dark" ? dark : light,
            width: 2,
            spanGaps: true,
            value: (_self: UPlot, value: number | null) => (value === null ? "–" : shown(value)),
            points: { show: values.filter((value) => value !== null).length <= fewValues, size: 4 },
            ...(index === 0 && lines.length === 1 && { fill: `${scheme === "dark" ? dark : light}1c` }),
          })),
        ],
        hooks: { draw: [(self) => placeMarks(self, markElements)] },
      },
      [seconds, ...lines.map(({ values }) => [...values])],
      element,
    );
    plot.over.append(...markElements.map(([, mark]) => mark));
    plot.over.addEventListener("click", () => {
      const at = times[plot.cursor.idx ?? -1];
      if (at !== undefined) onStep?.(at);
    });
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, lines, marks, scheme, unit, heightPx, valueText, onStep]);
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <Text fw={600} mb="xs">
        {summary}
      </Text>
      <div ref={place} className="chart" data-leads={onStep && true} data-lines={lines.length} role="img" aria-label={label} />
    </Paper>
  );
}

function elementOf({ text }: Mark): HTMLElement {
  const element = document.createElement("div");
  element.className = "chart-mark";
  element.dataset["text"] = text;
  return element;
}

function placeMarks(plot: UPlot, marks: readonly (readonly [Mark, HTMLElement])[]): void {
  const width = plot.over.clientWidth;
  for (const [{ at }, element] of marks) {
    const left = plot.valToPos(at / 1_000, "x");
    element.style.left = `${left}px`;
    element.hidden = left < 0 || left > width;
    // The text is on the side that has more room.
    element.dataset["side"] = left > width / 2 ? "left" : "right";
  }
}
