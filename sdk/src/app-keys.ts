import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  randomUUID,
  webcrypto,
  X509Certificate,
} from "node:crypto";
import { existsSync } from "node:fs";
import { link, mkdir, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** An app's identity: the key it signs with and the certificate that the platform pins. */
export interface AppKeys {
  readonly privateKey: KeyObject;
  /** PEM */
  readonly certificate: string;
}

export const keyFile = "key.pem";
export const certificateFile = "certificate.pem";

const rsaBits = 3072;
const validityYears = 10;

/** Reads `key.pem` and `certificate.pem` of a folder. Rejects with the file's name if one is missing or they do not match. */
export async function readAppKeys(folder: string): Promise<AppKeys> {
  const privateKey = createPrivateKey(await readKeyFile(folder, keyFile));
  const certificate = await readKeyFile(folder, certificateFile);
  if (!new X509Certificate(certificate).checkPrivateKey(privateKey)) {
    throw new Error(`${join(folder, certificateFile)} does not belong to ${keyFile} in the same folder`);
  }
  return { privateKey, certificate };
}

/**
 * Returns the keys of a folder and creates missing ones: RSA-3072, mode 0600, and a self-signed certificate valid for ten
 * years with the app's name as its common name. Concurrent processes get the same pair.
 */
export async function ensureAppKeys(folder: string, appName: string): Promise<AppKeys> {
  await mkdir(folder, { recursive: true });
  const key = join(folder, keyFile);
  const existing = await readFile(key, "utf8").catch(ifMissing);
  if (existing === undefined) {
    const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: rsaBits });
    await createOnce(key, privateKey.export({ type: "pkcs8", format: "pem" }).toString(), 0o600);
  }
  const certificate = join(folder, certificateFile);
  if ((await readFile(certificate, "utf8").catch(ifMissing)) === undefined) {
    // Read the key from the file: another process may have created it first.
    await createOnce(certificate, await selfSigned(createPrivateKey(await readFile(key, "utf8")), appName), 0o644);
  }
  return readAppKeys(folder);
}

async function readKeyFile(folder: string, name: string): Promise<string> {
  const text = await readFile(join(folder, name), "utf8").catch(ifMissing);
  if (text !== undefined) return text;
  if (!existsSync(folder)) throw new Error(`the folder ${folder} does not exist`);
  throw new Error(`${join(folder, name)} is missing; create it with \`appctl keys generate ${folder} --name APP\``);
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}

/** Creates the file atomically. Keeps the file if another process created it first. */
async function createOnce(path: string, text: string, mode: number): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, text, { mode, flag: "wx" });
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await unlink(draft);
  }
}

async function selfSigned(privateKey: KeyObject, appName: string): Promise<string> {
  // Loaded only here: a running app already has its certificate.
  await import("reflect-metadata");
  const { X509CertificateGenerator } = await import("@peculiar/x509");
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  const { subtle } = webcrypto;
  const pkcs8 = privateKey.export({ type: "pkcs8", format: "der" });
  const spki = createPublicKey(privateKey).export({ type: "spki", format: "der" });
  const now = Date.now();
  const notAfter = new Date(now);
  notAfter.setFullYear(notAfter.getFullYear() + validityYears);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: randomUUID().replaceAll("-", ""),
    name: `CN=${appName}`,
    // Clocks differ: the receiver must not consider the certificate not yet valid.
    notBefore: new Date(now - 3_600_000),
    notAfter,
    signingAlgorithm: algorithm,
    keys: {
      privateKey: await subtle.importKey("pkcs8", pkcs8, algorithm, true, ["sign"]),
      publicKey: await subtle.importKey("spki", spki, algorithm, true, ["verify"]),
    },
  });
  return `${certificate.toString("pem")}\n`;
}
