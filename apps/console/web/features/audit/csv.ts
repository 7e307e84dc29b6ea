/**
 * Spreadsheets run a cell that begins so as a formula: also after white space and invisible characters, which they skip, and with the
 * full-width and small forms of the signs, which they convert.
 */
const formula = /^(?:[\s\u00ad\u200b-\u200f\u2060\ufeff]*[=+\-@\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20]|[\t\r])/;

/** Commas separate the cells here. Spreadsheets of some languages also separate at semicolons and tabs. */
const quoted = /[",;\t\r\n]/;

/** Returns rows as CSV (RFC 4180). A text that a spreadsheet would run as a formula begins with an apostrophe. */
export function csvOf(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return quoted.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
