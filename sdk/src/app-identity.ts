import { createPrivateKey, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { appEnvironment } from "./app-environment.ts";
import { certificateFile, keyFile } from "./app-keys.ts";

/** The identity that a running app signs its calls with (docs/interface/containers.md#identity). */
export interface AppIdentity {
  readonly privateKey: KeyObject;
  /** The folder that it was read from. */
  readonly folder: string;
  /** Reads the certificate (PEM). The platform renews it while the app runs, so read it for each new connection. */
  certificate(): Promise<string>;
}

const forwardSecretFile = "forward-secret";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the identity of this app: the one that the platform made for this deployment, else the publisher's `key.pem` in
 * `ownFolder`, for development. `ownFolder` defaults to the working directory. Rejects if there is neither.
 */
export async function readAppIdentity(env: Environment = process.env, ownFolder = "."): Promise<AppIdentity> {
  const folders = [appEnvironment(env).identityFolder, resolve(ownFolder)];
  for (const folder of folders) {
    const key = await unlessMissing(readFile(join(folder, keyFile), "utf8"));
    if (key === undefined) continue;
    const privateKey = createPrivateKey(key);
    return { privateKey, folder, certificate: () => readFile(join(folder, certificateFile), "utf8") };
  }
  throw new Error(`the app has no key: expected ${keyFile} in ${folders.join(" or ")}`);
}

/** Returns the secret that the app shares with the platform. Undefined if the platform did not start the app. */
export async function readForwardSecret(env: Environment): Promise<string | undefined> {
  return await unlessMissing(readFile(join(appEnvironment(env).identityFolder, forwardSecretFile), "utf8"));
}

async function unlessMissing(reading: Promise<string>): Promise<string | undefined> {
  try {
    return await reading;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
