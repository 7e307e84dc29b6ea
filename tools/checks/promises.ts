// No promise is forgotten (.oxlintrc.json): these rules need types, which the linter's native helper reads.
import { finish, runTool } from "./run-tool.ts";

finish(runTool("oxlint", [".", "--format=unix"]));
