import { fork } from "node:child_process";
import { join } from "node:path";
import { installOwnPackage } from "../own-package.ts";
import { type Served, servedBy } from "./forked.ts";

/** A package of its own: nothing of the platform needs these plugins. */
const folder = join(import.meta.dirname, "fastify");

/** Starts the gateway of Fastify's plugins. Installs them at their first use. */
export async function startFastify(options: { upstreamPort: number; cookie: string; logFile: string }): Promise<Served> {
  installOwnPackage(folder);
  const child = fork(join(folder, "server.mjs"), {
    cwd: folder,
    env: {
      NODE_ENV: "production",
      PEER_UPSTREAM: `http://127.0.0.1:${options.upstreamPort}`,
      PEER_COOKIE: options.cookie,
      PEER_LOG: options.logFile,
    },
  });
  return servedBy(child);
}
