import "reflect-metadata";
import { KeyObject, webcrypto } from "node:crypto";
import { X509CertificateGenerator } from "@peculiar/x509";

/** A self-signed certificate of a new key, and the key. */
export interface TestCertificate {
  readonly privateKey: KeyObject;
  /** DER */
  readonly certificate: Uint8Array<ArrayBuffer>;
}

const algorithms = {
  "rsa-2048": { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
  "rsa-1024": { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]) },
  "p-256": { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  "p-384": { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" },
  ed25519: { name: "Ed25519" },
} as const;

/** Makes a certificate that is valid between the two dates. */
export async function makeCertificate(
  kind: keyof typeof algorithms,
  notBefore: Date,
  notAfter: Date,
): Promise<TestCertificate> {
  const algorithm = algorithms[kind];
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as webcrypto.CryptoKeyPair;
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: "01",
    name: "CN=com.example.app",
    notBefore,
    notAfter,
    keys,
    signingAlgorithm: algorithm,
  });
  return { privateKey: KeyObject.from(keys.privateKey), certificate: new Uint8Array(certificate.rawData) };
}

/** Returns the DER of `certificate` with an unknown public key algorithm: well-formed, but unreadable. */
export function withUnknownKey(certificate: TestCertificate): Uint8Array<ArrayBuffer> {
  // rsaEncryption (1.2.840.113549.1.1.1) occurs only in the public key. Signature algorithms have other last bytes.
  const rsaEncryption = Buffer.from("06092a864886f70d010101", "hex");
  const bytes = Buffer.from(certificate.certificate);
  const at = bytes.indexOf(rsaEncryption);
  if (at < 0) throw new Error("the certificate holds no RSA key");
  bytes[at + rsaEncryption.length - 1] = 0x63;
  return new Uint8Array(bytes);
}

/** Returns the dates one day before and one day after `now`. */
export function around(now: number): readonly [Date, Date] {
  return [new Date(now - 86_400_000), new Date(now + 86_400_000)];
}
