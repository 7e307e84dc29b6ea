import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { ProductionServices } from "@appserver/testing/kit/production";
import { quietPort } from "../../kit/quiet-port.ts";
import { installOwnPackage } from "../own-package.ts";

/** A package of its own, because mercurius needs an older `graphql` than the platform. */
const folder = join(import.meta.dirname, "mercurius");

/** The permission that the peer checks, as OpenFGA stores it. */
export interface PeerCheck {
  readonly relation: string;
  readonly object: string;
}

/** The running peer: mercurius with JIT. */
export interface MercuriusPeer {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Installs the peer at its first use and starts it on the platform's database, identity and authorization server. */
export async function startMercurius(
  { environment, connection }: ProductionServices,
  check: PeerCheck,
): Promise<MercuriusPeer> {
  installOwnPackage(folder);
  const port = await quietPort();
  const child = spawn(process.execPath, ["server.mjs"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      NODE_ENV: "production",
      PEER_PORT: String(port),
      PEER_DATABASE: JSON.stringify(connection),
      PEER_WHOAMI: `${environment["APPSERVER_KRATOS_PUBLIC_URL"]}/sessions/whoami`,
      PEER_CHECK: JSON.stringify({ ...check, ...(await checkAddress(environment)) }),
    },
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.kill()) await once(child, "exit");
  };
  await Promise.race([once(child.stdout, "data"), endOf(child)]);
  return { url: `http://127.0.0.1:${port}/graphql`, pid: child.pid ?? 0, stop };
}

async function endOf(child: ChildProcess): Promise<never> {
  const [code] = (await once(child, "exit")) as [number | null];
  throw new Error(`mercurius ended with ${code}`);
}

/** Returns the URL of OpenFGA's checks in the platform's store, and its key. */
async function checkAddress(environment: ProductionServices["environment"]): Promise<{ url: string; token?: string }> {
  const {
    APPSERVER_OPENFGA_API_URL: url = "",
    APPSERVER_OPENFGA_STORE_NAME: name,
    APPSERVER_OPENFGA_API_TOKEN: token,
  } = environment;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/stores?name=${name}`, { headers });
  const { stores } = (await response.json()) as { readonly stores: readonly { readonly id: string }[] };
  const [store] = stores;
  if (!store) throw new Error(`OpenFGA has no store ${name}`);
  return { url: `${url}/stores/${store.id}/check`, ...(token === undefined ? {} : { token }) };
}
