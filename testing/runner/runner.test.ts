import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import type { FileResult } from "./case-result.ts";
import { runFiles } from "./run-files.ts";
import { describeFile, describeRun } from "./summary.ts";

const folder = mkdtempSync(join(tmpdir(), "appserver-runner-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const header = 'import assert from "node:assert/strict";\nimport { describe, test } from "node:test";\n';

async function runSource(file: string, source: string, timeoutMs = 60_000): Promise<FileResult> {
  writeFileSync(join(folder, file), header + source);
  const [result] = await runFiles({ root: folder, scratch: folder }, { files: [file], timeoutMs });
  return result ?? assert.fail("no result");
}

test("every test is counted once, under the names of the suites around it", async () => {
  const result = await runSource(
    "mixed.test.ts",
    `describe("outer", () => {
      test("good", () => {});
      test("bad", () => assert.equal(1, 2));
    });
    test("left out", { skip: "corpora absent" }, () => {});
    describe("a whole suite left out", { skip: "no Docker engine" }, () => test("inner", () => {}));`,
  );
  const seen = result.cases.map(({ name, outcome, reason }) => ({ name, outcome, reason }));
  assert.deepEqual(seen, [
    { name: "outer › good", outcome: "passed", reason: undefined },
    { name: "outer › bad", outcome: "failed", reason: undefined },
    { name: "left out", outcome: "skipped", reason: "corpora absent" },
    { name: "a whole suite left out", outcome: "skipped", reason: "no Docker engine" },
  ]);
  assert.match(describeFile(result), /✗ outer › bad[\s\S]+1 !== 2/);
});

test("a failed hook is reported once, and the tests that could not run are counted", async () => {
  const result = await runSource(
    "hook.test.ts",
    `import { before } from "node:test";
    describe("outer", () => {
      before(() => { throw new Error("no platform"); });
      test("one", () => {});
      test("two", () => {});
    });`,
  );
  const described = describeFile(result);
  assert.match(described, /^FAILED .* 3 failed/);
  assert.deepEqual(described.match(/✗ .*/g), ["✗ outer"]);
  assert.match(described, /no platform/);
});

test("a file that throws before its first test fails", async () => {
  const result = await runSource("broken.test.ts", 'throw new Error("no such thing");');
  assert.deepEqual(
    result.cases.map(({ outcome }) => outcome),
    ["failed"],
  );
  assert.match(result.cases[0]?.error ?? "", /no such thing/);
});

test("a file without tests fails", async () => {
  const result = await runSource("empty.test.ts", "");
  assert.equal(result.cases[0]?.error, "declares no test");
});

test("files of one process have hooks and results of their own; after one that ends the process the others run in a new one", async () => {
  const sources = {
    "first.test.ts": 'import { before } from "node:test"; before(() => { globalThis.seen = "first"; }); test("one", () => {});',
    "fatal.test.ts": 'test("ends all", () => process.exit(7));',
    "third.test.ts": 'test("is not prepared by another file", () => assert.equal(globalThis.seen, undefined));',
    "fourth.test.ts":
      'import { before } from "node:test"; before(() => { throw new Error("no server"); }); test("four", () => {});',
    "fifth.test.ts": 'test("five", () => {});',
  };
  for (const [file, source] of Object.entries(sources)) writeFileSync(join(folder, file), header + source);
  const results = await runFiles({ root: folder, scratch: folder }, { files: Object.keys(sources), timeoutMs: 60_000 });
  const seen = results.map(({ file, cases }) => [file, ...cases.map(({ name, outcome }) => `${name}: ${outcome}`)]);
  assert.deepEqual(seen, [
    ["first.test.ts", "one: passed"],
    ["fatal.test.ts", "the file as a whole: failed"],
    ["third.test.ts", "is not prepared by another file: passed"],
    ["fourth.test.ts", "four: failed", "the file as a whole: failed"],
    ["fifth.test.ts", "five: passed"],
  ]);
  assert.match(results[1]?.cases[0]?.error ?? "", /ended with code 7/);
});

test("a file that does not end is killed with all processes that it started, and earlier passes still count", async () => {
  const pidFile = join(folder, "child.pid");
  const result = await runSource(
    "hanging.test.ts",
    `import { spawn } from "node:child_process";
    import { writeFileSync } from "node:fs";
    test("starts something", () => {
      const child = spawn("sleep", ["600"]);
      writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));
    });`,
    8_000,
  );
  assert.deepEqual(
    result.cases.map(({ name, outcome }) => [name, outcome]),
    [
      ["starts something", "passed"],
      ["the file as a whole", "failed"],
    ],
  );
  const pid = Number(readFileSync(pidFile, "utf8"));
  assert.equal(isRunning(pid), false);
});

/** A killed process may stay in the process table as a zombie until its new parent reaps it. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform === "linux" && !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

test("the last line holds only the counts; a skip is named, and fails the run where every test must run", () => {
  const results: readonly FileResult[] = [
    {
      file: "a.test.ts",
      seconds: 1,
      output: "",
      cases: [
        { name: "one", outcome: "passed" },
        { name: "two", outcome: "skipped", reason: "corpora absent" },
        { name: "three", outcome: "skipped", reason: "did not feel like it" },
      ],
    },
  ];
  const relaxed = describeRun(results, false, 1);
  assert.equal(relaxed.passed, true);
  assert.equal(relaxed.text.trimEnd().split("\n").at(-1), "1 passed, 0 failed, 2 skipped");
  assert.match(relaxed.text, /a\.test\.ts: corpora absent \(two\)/);

  const strict = describeRun(results, true, 1);
  assert.equal(strict.passed, false);
  assert.equal(strict.text.trimEnd().split("\n").at(-1), "1 passed, 1 failed, 1 skipped");
  assert.match(strict.text, /must run here[^\n]+\n {2}a\.test\.ts: did not feel like it \(three\)/);
});
