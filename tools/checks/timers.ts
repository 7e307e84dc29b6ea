// Timers and races are the kernel's (kernel/src/concurrency): no other production code builds its own.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { mayNotHaveTimers, timerExceptions, timerProblems } from "../architecture/timers.ts";
import { finish, root } from "./run-tool.ts";

const listed = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
});
if (listed.status !== 0) throw new Error(`git ls-files failed: ${listed.stderr}`);
const paths = [...new Set(listed.stdout.split("\0"))].filter((path) => mayNotHaveTimers(path) && existsSync(join(root, path)));
const problems = timerProblems(
  paths.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") })),
  timerExceptions,
);
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(`${paths.length} files, ${problems.length} problems\n`);
finish(problems.length === 0);
