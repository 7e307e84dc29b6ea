// Checks the types of the whole repository, and that declarations of the published packages can be generated file by file.
import { globSync } from "node:fs";
import { join } from "node:path";
import { finish, root, runTool } from "./run-tool.ts";

/** Browser pages have other globals than the rest and therefore a separate configuration. */
const projects = [
  ".",
  "tools/checks/tsconfig.declarations.json",
  "gallery",
  ...globSync("{sdk,{apps,examples}/*}/web/tsconfig.json", { cwd: root }),
];

/** Returns the options that reuse the results of unchanged files. The next check takes a quarter of the time. */
function memory(project: string): readonly string[] {
  const file = `types-${project.replaceAll(/[^a-z]+/g, "-")}.tsbuildinfo`;
  return ["--incremental", "--tsBuildInfoFile", join(root, "node_modules", ".cache", file)];
}

finish(...projects.map((project) => runTool("tsc", ["-p", project, ...memory(project)])));
