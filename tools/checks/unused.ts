// Checks that no file, export or dependency is unused (knip.json).
import { finish, runTool } from "./run-tool.ts";

finish(runTool("knip", ["--no-progress", "--no-config-hints"]));
