import type { Configuration } from "./read-configuration.ts";
import type { Sections } from "./schema.ts";

/** Returns the text of `appserver config print`: every value with its source, secrets masked. */
export function printConfiguration({ options, warnings }: Configuration<Sections>): string {
  const rows = options.map(({ section, name, shown, origin }) => ({
    section,
    name,
    shown: shown === "" ? "-" : shown,
    origin: origin.name,
  }));
  const width = (pick: (row: (typeof rows)[number]) => string): number => Math.max(0, ...rows.map((row) => pick(row).length));
  const nameWidth = width(({ name }) => name);
  const shownWidth = Math.min(
    60,
    width(({ shown }) => shown),
  );
  const lines: string[] = [];
  let section: string | undefined;
  for (const row of rows) {
    if (row.section !== section) lines.push(...(section === undefined ? [] : [""]), row.section);
    section = row.section;
    lines.push(`  ${row.name.padEnd(nameWidth)}  ${row.shown.padEnd(shownWidth)}  ${row.origin}`);
  }
  return [...lines, ...(warnings.length > 0 ? [""] : []), ...warnings.map((warning) => `warning: ${warning}`), ""].join("\n");
}
