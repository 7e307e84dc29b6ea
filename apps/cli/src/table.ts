import CliTable from "cli-table3";

type Cell = string | number;

/** Blank columns between cells. */
const gap = 2;
const narrowest = 8;
/** Width of a terminal that does not report its own. */
const usualWidth = 80;

/**
 * Formats rows under headings, without borders. The widest columns wrap until the table fits the terminal. In a pipe or a file each
 * row is one line, for `grep` and `awk`. `width` is in characters.
 */
export function renderTable(head: readonly string[], rows: readonly (readonly Cell[])[], width = outputWidth()): string {
  const table = new CliTable({
    head: [...head],
    colWidths: fittingWidths(head, rows, width).map((content) => content + gap),
    wordWrap: true,
    wrapOnWordBoundary: false,
    chars: noLines,
    style: { head: [], border: [], "padding-left": 0, "padding-right": gap },
  });
  table.push(...rows.map((row) => [...row]));
  return trimLines(table.toString());
}

const lineNames = [
  ...["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"],
  ...["left", "left-mid", "mid", "mid-mid", "right", "right-mid", "middle"],
];
const noLines = Object.fromEntries(lineNames.map((name) => [name, ""]));

function outputWidth(): number {
  if (!process.stdout.isTTY) return Number.POSITIVE_INFINITY;
  return process.stdout.columns ?? (Number(process.env["COLUMNS"]) || usualWidth);
}

/** Returns the column widths. While the table is too wide, the widest column wraps; the first (name or id) wraps last. */
function fittingWidths(head: readonly string[], rows: readonly (readonly Cell[])[], width: number): number[] {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => longestLine(row[column]))));
  const room = width - gap * (head.length - 1);
  for (let excess = sum(widths) - room; excess > 0; excess -= 1) {
    const index = widest(widths, 1) ?? widest(widths, 0);
    if (index === undefined) return widths;
    widths[index] = (widths[index] ?? 0) - 1;
  }
  return widths;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Returns the index of the widest column from `first` on that can still become narrower. */
function widest(widths: readonly number[], first: number): number | undefined {
  const found = Math.max(0, ...widths.slice(first));
  return found > narrowest ? widths.indexOf(found, first) : undefined;
}

function longestLine(cell: Cell | undefined): number {
  return Math.max(
    0,
    ...String(cell ?? "")
      .split("\n")
      .map((line) => line.length),
  );
}

function trimLines(text: string): string {
  return text.replace(/[ \t]+$/gm, "");
}
