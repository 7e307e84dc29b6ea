import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { eventually } from "@appserver/testing/kit";
import { LogDestination } from "./log-destination.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "log-destination-"));
});
after(() => rm(folder, { recursive: true }));

const droppedLine = (dropped: number, reason: string): string => JSON.stringify({ dropped, reason });
const moduleFile = join(import.meta.dirname, "log-destination.ts");

test("lines are written in order, to a file that only its owner can read", async () => {
  const file = join(folder, "order.log");
  const log = new LogDestination({ target: { file }, droppedLine });
  const lines = Array.from({ length: 1_000 }, (_, index) => `line ${index}`);
  for (const line of lines) log.write(`${line}\n`);
  assert.deepEqual(await eventualLines(file, lines.length), lines);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test("a full disk drops lines, is reported once, and the log shows the count when there is space again", {
  skip: process.platform === "linux" ? false : "needs /proc",
}, async () => {
  const file = join(folder, "full.log");
  await symlink("/dev/full", file);
  const reports: string[] = [];
  const log = new LogDestination({ target: { file }, droppedLine, report: (text) => reports.push(text), retryMs: 10 });
  for (let index = 0; index < 5; index++) log.write(`lost ${index}\n`);
  await eventually(() => reports.length > 0);
  log.write("lost, too\n");
  assert.deepEqual(reports, [`log lines are dropped: ${file} cannot be written (ENOSPC)`]);
  await rm(file);
  assert.deepEqual(await eventualLines(file, 1), [droppedLine(6, "ENOSPC")]);
  log.write("kept\n");
  assert.deepEqual(await eventualLines(file, 2), [droppedLine(6, "ENOSPC"), "kept"]);
  assert.deepEqual(reports.slice(1), [`${file} can be written again, 6 log lines were dropped`]);
});

test("muted lines are dropped, and counted before the next line that is not", async () => {
  const file = join(folder, "muted.log");
  let muted: string | undefined;
  const log = new LogDestination({ target: { file }, droppedLine, muted: () => muted });
  log.write("before\n");
  muted = "no folder";
  for (let index = 0; index < 3; index++) log.write(`muted ${index}\n`);
  // The write of the first line ends during this, and must not be followed by a count for each further line.
  assert.deepEqual(await eventualLines(file, 1), ["before"]);
  log.write("muted, too\n");
  muted = undefined;
  log.write("after\n");
  assert.deepEqual(await eventualLines(file, 3), ["before", droppedLine(4, "no folder"), "after"]);
});

test("a process that ends while its log is muted writes only the lines from before", async () => {
  const script = `
    let muted = false;
    const silent = new LogDestination({ target: { descriptor: 1 }, droppedLine: () => "dropped", muted: () => muted ? "no folder" : undefined });
    silent.write("one\\n"); silent.write("two\\n"); muted = true; silent.write("three\\n"); process.exit(0);`;
  const { output } = await piped(script, "cat");
  // The first line may still be with a thread when the process ends.
  assert.deepEqual(output.trimEnd().split("\n").sort(), ["one", "two"]);
});

/** Starts a process that logs to its standard output forever, and exits with 7 on SIGTERM. */
function logger(script: string) {
  const source = `
    import { LogDestination } from ${JSON.stringify(moduleFile)};
    const log = new LogDestination({ target: { descriptor: 1 }, droppedLine: (n, r) => JSON.stringify({ dropped: n, reason: r }), maxQueued: 100_000 });
    process.on("SIGTERM", () => process.exit(7));
    ${script}`;
  return [process.execPath, "--input-type=module-typescript", "-e", source] as const;
}

/**
 * Pipes the logger's output to `reader`, like \`logger | reader\` in a shell. The file `$ENDED` exists after the logger ended.
 * Resolves with the standard output and error.
 */
async function piped(script: string, reader: string) {
  const source = `{ "$@"; echo "ended $?" >&2; : > "$ENDED"; } | ${reader}`;
  const shell = spawn("/bin/sh", ["-c", source, "sh", ...logger(script)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ENDED: join(folder, `ended-${randomUUID()}`) },
  });
  let errors = "";
  shell.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  let output = "";
  shell.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await once(shell, "close");
  return { errors, output };
}

test("a reader that closes the pipe does not end the process", async () => {
  const script = `setInterval(() => log.write("tick\\n"), 5); setTimeout(() => process.kill(process.pid, "SIGTERM"), 600);`;
  const { errors, output } = await piped(script, "head -n 1");
  assert.deepEqual([errors, output], ["ended 7\n", "tick\n"]);
});

test("a reader that does not read loses lines; the process still handles SIGTERM and ends", async () => {
  const script = `setInterval(() => log.write("x".repeat(50_000) + "\\n"), 5); setTimeout(() => process.kill(process.pid, "SIGTERM"), 600);`;
  const { errors } = await piped(script, '{ until [ -e "$ENDED" ]; do sleep 0.1; done; echo reader ended >&2; }');
  assert.equal(errors, "ended 7\nreader ended\n");
});

test("lines that wait when the process ends are written", async () => {
  const script = `for (let i = 0; i < 3000; i++) log.write("line " + i + "\\n"); process.exit(0);`;
  const { output } = await piped(script, "cat");
  assert.deepEqual(output.trim().split("\n").length, 3_000);
});

function eventualLines(file: string, count: number): Promise<readonly string[]> {
  return eventually(
    async () => (await readFile(file, "utf8").catch(() => "")).split("\n").slice(0, -1),
    ({ length }) => length >= count,
  );
}
