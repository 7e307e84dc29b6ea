/** Spreadsheets run a cell that begins so as a formula. */
const formula = /^[=+\-@\t\r]/;

/** Returns rows as CSV (RFC 4180). A text that a spreadsheet would run as a formula begins with an apostrophe. */
export function csvOf(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
