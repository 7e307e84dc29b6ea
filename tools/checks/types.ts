// Types hold in the whole repository, and the published packages' declarations can be made file by file.
import { globSync } from "node:fs";
import { join } from "node:path";
import { finish, root, runTool } from "./run-tool.ts";

/** Pages for browsers have other globals than the rest, and say so in a configuration of their own. */
const projects = [".", "tools/checks/tsconfig.declarations.json", ...globSync("examples/*/web/tsconfig.json", { cwd: root })];

/** What the last check found stays valid for files that did not change: the next one takes a quarter of the time. */
function memory(project: string): readonly string[] {
  const file = `types-${project.replaceAll(/[^a-z]+/g, "-")}.tsbuildinfo`;
  return ["--incremental", "--tsBuildInfoFile", join(root, "node_modules", ".cache", file)];
}

finish(...projects.map((project) => runTool("tsc", ["-p", project, ...memory(project)])));
