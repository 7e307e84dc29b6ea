import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf } from "../web/features/audit/csv.ts";

test("cells are quoted where a spreadsheet could separate them", () => {
  assert.equal(
    csvOf([
      ["a", "b c"],
      ['say "x"', "d,e"],
    ]),
    'a,b c\r\n"say ""x""","d,e"\r\n',
  );
  assert.equal(csvOf([["user:x;=cmd", "a\tb", "a\nb"]]), '"user:x;=cmd","a\tb","a\nb"\r\n');
});

test("no text is a formula", () => {
  for (const text of [
    "=1",
    "+1",
    "-1",
    "@a",
    " =1",
    "\n=1",
    "\t=1",
    "\r=1",
    "\ttext",
    "\u00a0=1",
    "\u3000＝1",
    "＝1",
    "＋1",
    "－1",
    "＠a",
    "\ufeff=1",
    "\u200b=1",
    "﹦1",
    "−1",
  ]) {
    const cell = csvOf([[text]]).slice(0, -2);
    assert.ok(cell.startsWith("'") || cell.startsWith("\"'"), JSON.stringify(cell));
  }
  for (const text of ["a=1", "user:x", "1-2", "", "2026-11-26"]) assert.equal(csvOf([[text]]), `${text}\r\n`);
});
