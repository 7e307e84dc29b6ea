import { locale } from "../i18n.ts";

const tenths = new Intl.NumberFormat(locale, { maximumFractionDigits: 1, useGrouping: false });

/** Returns a size in the unit that suits it, for example `12.5 MB`. */
export function shownBytes(bytes: number): string {
  if (bytes < 1_000) return `${tenths.format(bytes)} B`;
  const units = ["kB", "MB", "GB", "TB"];
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length);
  return `${tenths.format(bytes / 10 ** (power * 3))} ${units[power - 1]}`;
}
