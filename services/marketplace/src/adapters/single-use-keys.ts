import { generateKeyPair, randomUUID, sign, webcrypto } from "node:crypto";
import { promisify } from "node:util";
import type { KeyMaker } from "../domain/single-use-key.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const validityYears = 10;
/** Clocks differ: a replica must not consider the certificate not yet valid. */
const clockToleranceMs = 60_000;

/** Makes a key of EC P-256 with a self-signed certificate. The key is in no file: with the last signature it is forgotten. */
export const makeSingleUseKey: KeyMaker = async (commonName, now) => {
  // Loaded on demand: few processes make a certificate.
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  const { privateKey, publicKey } = await promisify(generateKeyPair)("ec", { namedCurve: "P-256" });
  const { subtle } = webcrypto;
  const pkcs8 = privateKey.export({ type: "pkcs8", format: "der" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  const notAfter = new Date(now);
  notAfter.setFullYear(notAfter.getFullYear() + validityYears);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: randomUUID().replaceAll("-", ""),
    name: [{ CN: [commonName] }],
    notBefore: new Date(now - clockToleranceMs),
    notAfter,
    signingAlgorithm: algorithm,
    keys: {
      privateKey: await subtle.importKey("pkcs8", pkcs8, algorithm, true, ["sign"]),
      publicKey: await subtle.importKey("spki", spki, algorithm, true, ["verify"]),
    },
  });
  return {
    certificate: Buffer.from(`${certificate.toString("pem")}\n`),
    sign: (data) => new Uint8Array(sign("sha256", data, privateKey)),
  };
};
