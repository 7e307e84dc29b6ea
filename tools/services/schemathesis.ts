import { join } from "node:path";
import { ensurePythonProgram, type InstalledPython, type PythonProgram } from "./python-program.ts";

const schemathesis: PythonProgram = {
  name: "schemathesis",
  requirements: join(import.meta.dirname, "python-programs/schemathesis/requirements.txt"),
};

/** Returns how to run schemathesis, which calls an API as its OpenAPI document says, or the reason why it is unavailable. */
export function ensureSchemathesis(): Promise<InstalledPython | { unavailable: string }> {
  return ensurePythonProgram(schemathesis);
}
