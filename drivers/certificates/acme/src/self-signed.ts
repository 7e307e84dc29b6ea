import { generateKeyPair, randomBytes, webcrypto } from "node:crypto";
import { promisify } from "node:util";
import type { CertificatePair } from "./certificate-pair.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const lifeMs = 7 * 24 * 3_600_000;

/** Returns a certificate that no client trusts, for the time until there is another one. `now` is epoch ms. */
export async function selfSigned(hosts: readonly string[], now: number): Promise<CertificatePair> {
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  const { privateKey } = await promisify(generateKeyPair)("ec", { namedCurve: "P-256" });
  const pkcs8 = privateKey.export({ type: "pkcs8", format: "der" });
  const signing = await webcrypto.subtle.importKey("pkcs8", pkcs8, algorithm, true, ["sign"]);
  const { d: _, ...publicJwk } = await webcrypto.subtle.exportKey("jwk", signing);
  const publicKey = await webcrypto.subtle.importKey("jwk", { ...publicJwk, key_ops: ["verify"] }, algorithm, true, ["verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: randomBytes(15).toString("hex"),
    name: [{ CN: [hosts[0] ?? "localhost"] }],
    notBefore: new Date(now - 60_000),
    notAfter: new Date(now + lifeMs),
    signingAlgorithm: algorithm,
    keys: { privateKey: signing, publicKey },
    extensions: [new x509.SubjectAlternativeNameExtension(hosts.map((value) => ({ type: "dns", value })))],
  });
  const cert = `${certificate.toString("pem")}\n`;
  return { cert, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}
