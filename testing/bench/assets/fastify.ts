import { fork } from "node:child_process";
import { join } from "node:path";
import { installPackage } from "../../kit/install-package.ts";
import { type Served, servedBy } from "../gateways/forked.ts";

const program = join(import.meta.dirname, "fastify");

/** Starts @fastify/static for the files of a folder. Installs it at its first use. */
export async function startFastifyStatic(folder: string, logFile: string): Promise<Served> {
  installPackage(program);
  const env = { NODE_ENV: "production", PEER_FOLDER: folder, PEER_LOG: logFile };
  return servedBy(fork(join(program, "server.mjs"), { cwd: program, env }));
}
