// Checks the format and lint rules of biome.json.
import { finish, runTool } from "./run-tool.ts";

finish(runTool("biome", ["ci", ".", "--colors=off", "--max-diagnostics=60"]));
