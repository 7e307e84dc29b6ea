// Types hold in the whole repository, and the published packages' declarations can be made file by file.
import { finish, runTool } from "./run-tool.ts";

finish(runTool("tsc", ["-p", "."]), runTool("tsc", ["-p", "tools/checks/tsconfig.declarations.json"]));
