import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join, relative } from "node:path";
import { promisify } from "node:util";
import type { DevConfig } from "../config/dev-config.ts";
import { type ExampleApp, repositoryRoot } from "./example-apps.ts";

/** Imports what `examples/board/requirements.txt` lists. */
const probe = "import cryptography, grpc; from google.protobuf.message_factory import GetMessageClass";
const probeTimeoutMs = 10_000;

/** Returns the folder of the first `python3` of this process's PATH: a virtual environment that is active counts. Empty if there is none. */
export function pythonFolder(): readonly string[] {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(isAbsolute);
  return folders.filter((folder) => existsSync(join(folder, "python3"))).slice(0, 1);
}

/** Returns why a sample app cannot run, as the end of a sentence. Undefined if it can. */
export async function obstacleOf({ folder, runtime }: ExampleApp, config: DevConfig): Promise<string | undefined> {
  if (runtime !== "python") return undefined;
  if (config.dev.containers === "docker")
    return "no image with Python is built, and without --containers docker it runs as a process";
  const [python] = pythonFolder();
  if (python === undefined) return "it needs python3";
  try {
    await promisify(execFile)(join(python, "python3"), ["-c", probe], { timeout: probeTimeoutMs });
    return undefined;
  } catch (error) {
    const { stderr = "" } = error as { readonly stderr?: string };
    const reason = stderr.trim().split("\n").at(-1) || (error as Error).message;
    const requirements = relative(repositoryRoot, join(folder, "requirements.txt"));
    return `${reason}. To install what it needs: python3 -m pip install -r ${requirements}`;
  }
}
