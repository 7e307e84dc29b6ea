import { fork } from "node:child_process";
import { join } from "node:path";
import { installPackage } from "../../kit/install-package.ts";
import { type Served, servedBy } from "../gateways/forked.ts";
import type { ServedApps } from "../served-apps.ts";

/** A package of its own: the versions of a peer change only when its figures are measured again. */
const folder = join(import.meta.dirname, "fastify");

/** Starts the peer on the platform's database, with its administrator's session. Installs it at its first use. */
export async function startFastify({ services, token }: ServedApps, upstreamUrl: string): Promise<Served> {
  installPackage(folder);
  const child = fork(join(folder, "server.mjs"), {
    cwd: folder,
    env: {
      NODE_ENV: "production",
      PEER_DATABASE: JSON.stringify(services.connection),
      PEER_TOKEN: token,
      PEER_UPSTREAM: upstreamUrl,
    },
  });
  return servedBy(child);
}
