import assert from "node:assert/strict";
import { test } from "node:test";
import { renderTable } from "./table.ts";

const head = ["ID", "HOOK", "TO", "STATUS"];
const row = ["0198c0de-0000-7000-8000-000000000001", "com.example.notes.created", "com.example.clock", "DELIVERED"];

test("a table that fits has one line per row and no trailing blanks", () => {
  assert.equal(renderTable(["A", "B"], [["one", 2]], 80), "A    B\none  2");
});

test("a table that is too wide wraps its widest columns to fit the terminal", () => {
  const lines = renderTable(head, [row], 80).split("\n");
  assert.ok(lines.length > 2);
  for (const line of lines) assert.ok(line.length <= 80, `${line.length}: ${line}`);
});

test("wrapped cells keep every character", () => {
  const [first = "", ...lines] = renderTable(head, [row], 70).split("\n");
  const [from, to] = [first.indexOf("HOOK"), first.indexOf("TO")];
  assert.ok(lines[0]?.startsWith(`${row[0]}  `), "the id stays whole");
  assert.equal(lines.map((line) => line.slice(from, to).trim()).join(""), row[1]);
});

test("a table that is not printed to a terminal has one line per row, however wide", () => {
  // The output of a test file goes to a pipe.
  assert.deepEqual(renderTable(head, [row, row]).split("\n").slice(1), [row.join("  "), row.join("  ")]);
});

test("a table is printed even in a very narrow terminal", () => {
  assert.match(renderTable(head, [row], 10), /ID/);
});
