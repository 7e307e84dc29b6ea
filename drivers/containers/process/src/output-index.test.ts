import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { OutputIndex } from "./output-index.ts";

const folder = mkdtempSync(join(tmpdir(), "appserver-output-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const filesOf = (name: string) => ({
  stdout: join(folder, `${name}.log`),
  stderr: join(folder, `${name}.err.log`),
  index: join(folder, `${name}.index`),
});
const nothing = { stdout: 0, stderr: 0 };

test("observations have increasing times, and the next process reads them", () => {
  const files = filesOf("observed");
  const index = new OutputIndex(files);
  index.observe(1_000);
  assert.deepEqual(index.after(nothing), []);
  appendFileSync(files.stdout, "one\n");
  index.observe(1_000);
  index.observe(2_000);
  appendFileSync(files.stderr, "warning\n");
  // The clock was set back.
  index.observe(500);
  const expected = [
    { at: 1_000, stdout: 4, stderr: 0 },
    { at: 1_001, stdout: 4, stderr: 8 },
  ];
  assert.deepEqual(index.after(nothing), expected);
  assert.deepEqual(index.after({ stdout: 4, stderr: 0 }), expected.slice(1));
  assert.deepEqual(new OutputIndex(files).after(nothing), expected);
  appendFileSync(files.index, "half a li");
  assert.deepEqual(new OutputIndex(files).after(nothing), expected);
});

test("shorten keeps the newer half of a file in whole lines, and positions stay", () => {
  const files = filesOf("grown");
  const index = new OutputIndex(files);
  appendFileSync(files.stdout, Array.from({ length: 50 }, (_, number) => `line ${number}\n`).join(""));
  index.observe(1_000);
  appendFileSync(files.stdout, Array.from({ length: 50 }, (_, number) => `line ${50 + number}\n`).join(""));
  index.observe(2_000);
  const size = readFileSync(files.stdout).length;
  index.shorten(400);
  const kept = readFileSync(files.stdout, "utf8");
  assert.ok(kept.length <= 200);
  assert.match(kept, /^line \d+\n/);
  assert.ok(kept.endsWith("line 99\n"));
  for (const each of [index, new OutputIndex(files)]) {
    assert.equal(each.start.stdout, size - kept.length);
    assert.deepEqual(each.after(nothing), [{ at: 2_000, stdout: size, stderr: 0 }]);
  }
  index.shorten(400);
  assert.equal(readFileSync(files.stdout, "utf8"), kept);
});

test("an index notices that another process has shortened the files", () => {
  const files = filesOf("shared");
  const [mine, other] = [new OutputIndex(files), new OutputIndex(files)];
  appendFileSync(files.stdout, "line\n".repeat(100));
  for (const each of [mine, other]) each.observe(1_000);
  mine.shorten(200);
  appendFileSync(files.stdout, "more\n");
  for (const each of [other, mine]) each.observe(2_000);
  assert.equal(other.start.stdout, mine.start.stdout);
  assert.equal(other.after({ stdout: 500, stderr: 0 }).at(-1)?.stdout, 505);
});
