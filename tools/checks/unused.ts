// No file, export or dependency that nothing uses (knip.json).
import { finish, runTool } from "./run-tool.ts";

finish(runTool("knip", ["--no-progress", "--no-config-hints"]));
