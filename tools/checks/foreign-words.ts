// Checks that no file contains a path of one machine or a package registry, so that the repository works on every machine.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { finish, root } from "./run-tool.ts";

const foreign =
  /(?:^|[^\w.:/-])\/(?:home|Users|work|root)\/\w|https?:\/\/(?!registry\.(?:example|test)\b)(?:registry|proxy|npm|deb)\.[\w-]+\.\w/;
const checked = /\.(?:ts|tsx|mjs|js|json|md|yaml|yml|proto|graphql|fga|sh)$|^\.ci\/run$/;
/** In lock files, `resolved` must name the public registry or be absent. They are checked separately below. */
const lockFile = /(?:^|\/)package-lock\.json$/;

const listed = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
});
if (listed.status !== 0) throw new Error(`git ls-files failed: ${listed.stderr}`);
const files = [...new Set(listed.stdout.split("\0"))].filter((file) => checked.test(file));

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(join(root, file), "utf8").split("\n");
  } catch {
    return []; // deleted and not yet committed
  }
}

function isForeign(file: string, line: string): boolean {
  if (!lockFile.test(file)) return foreign.test(line);
  const host = /"resolved": "https?:\/\/([^/"]+)/.exec(line)?.[1];
  return host !== undefined && host !== "registry.npmjs.org";
}

const found = files.flatMap((file) =>
  linesOf(file).flatMap((line, index) => (isForeign(file, line) ? [`${file}:${index + 1}: ${line.trim().slice(0, 140)}`] : [])),
);
for (const line of found) process.stdout.write(`${line}\n`);
process.stdout.write(`${files.length} files, ${found.length} foreign words\n`);
finish(found.length === 0);
