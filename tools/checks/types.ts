// Types hold in the whole repository, and the published packages' declarations can be made file by file.
import { globSync } from "node:fs";
import { finish, root, runTool } from "./run-tool.ts";

/** Pages for browsers have other globals than the rest, and say so in a configuration of their own. */
const projects = [".", "tools/checks/tsconfig.declarations.json", ...globSync("examples/*/web/tsconfig.json", { cwd: root })];

finish(...projects.map((project) => runTool("tsc", ["-p", project])));
