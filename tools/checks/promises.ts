// Checks that no promise is left unhandled (.oxlintrc.json). These rules need types, which the linter's native helper reads.
import { finish, runTool } from "./run-tool.ts";

finish(runTool("oxlint", [".", "--format=unix"]));
