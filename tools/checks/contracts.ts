// Checks that the contracts are valid and compatible with the last release.
import { spawnSync } from "node:child_process";
import { readSchema } from "@appserver/contracts/graphql";
import { buildSchema, validateSchema } from "graphql";
import { finish, root, runTool } from "./run-tool.ts";

/** Returns the tag of the last release before this commit, or undefined before the first release. */
function lastRelease(): string | undefined {
  const described = spawnSync("git", ["describe", "--tags", "--abbrev=0", "--match", "v*"], { cwd: root, encoding: "utf8" });
  return described.status === 0 ? described.stdout.trim() : undefined;
}

function breaksNothing(): boolean {
  const release = lastRelease();
  if (release === undefined) {
    process.stdout.write("buf breaking: no release yet, nothing to compare with\n");
    return true;
  }
  return runTool("buf", ["breaking", "--against", `.git#tag=${release}`]);
}

function schemaHolds(): boolean {
  const problems = validateSchema(buildSchema(readSchema()));
  for (const problem of problems) process.stdout.write(`contracts/graphql/schema.graphql: ${problem.message}\n`);
  return problems.length === 0;
}

finish(runTool("buf", ["lint"]), breaksNothing(), schemaHolds());
