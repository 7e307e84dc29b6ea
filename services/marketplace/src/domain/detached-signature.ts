import { verify } from "node:crypto";
import type { AppCertificate } from "./certificate.ts";

/**
 * Verifies a detached signature over `data` with the algorithm that follows from the certificate's key: RSA PKCS#1 v1.5
 * with SHA-256, ECDSA P-256 with SHA-256 (DER, as X.509 and OpenSSL write it), or Ed25519.
 */
export function verifyDetached(certificate: AppCertificate, data: Uint8Array, signature: Uint8Array): boolean {
  const { signatureAlgorithm, publicKey } = certificate;
  if (signatureAlgorithm === undefined) return false;
  return verify(signatureAlgorithm === "Ed25519" ? null : "sha256", data, publicKey, signature);
}
