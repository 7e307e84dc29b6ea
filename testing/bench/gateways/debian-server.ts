import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@appserver/testing/kit";
import { ensureDebianProgram } from "../../../tools/services/debian-package.ts";
import { quietPort } from "../../kit/quiet-port.ts";
import type { Served } from "./forked.ts";

/** A server that is a Debian package with one configuration file. */
export interface DebianServer {
  readonly program: string;
  /** Default: the name of the program. */
  readonly packageName?: string;
  /** Returns the configuration. The server listens on 127.0.0.1; all that it writes goes into the folder. */
  readonly configuration: (folder: string, port: number) => string;
  readonly args: (folder: string, configurationFile: string) => readonly string[];
}

/** Starts it. Its standard output, which may be its log, goes to a file. Installs it at its first use. */
export async function startDebianServer({
  program,
  packageName = program,
  configuration,
  args,
}: DebianServer): Promise<Served> {
  const found = ensureDebianProgram(program, packageName);
  if ("unavailable" in found) throw new Error(found.unavailable);
  const folder = await mkdtemp(join(tmpdir(), `appserver-${program}-`));
  const port = await quietPort();
  const file = join(folder, "configuration");
  await writeFile(file, configuration(folder, port));
  const log = openSync(join(folder, "output.log"), "a");
  const child = spawn(found.path, args(folder, file), {
    stdio: ["ignore", log, "inherit"],
    env: { PATH: process.env["PATH"], HOME: folder },
  });
  closeSync(log);
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.kill()) await once(child, "exit");
    await rm(folder, { recursive: true, force: true });
  };
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => child.exitCode !== null,
    );
  await until(`${program} is up or has ended`, answers);
  if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`);
  return { port, pid: child.pid ?? 0, stop };
}
