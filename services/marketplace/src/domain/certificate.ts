import { createHash, type KeyObject, X509Certificate } from "node:crypto";

/** The properties of an app's certificate that the platform uses. */
export interface AppCertificate {
  readonly x509: X509Certificate;
  readonly publicKey: KeyObject;
  /** SHA-256 of the public key (SPKI, DER), hex: the app's identity. */
  readonly keyFingerprint: string;
  /** SHA-256 of the certificate, hex. */
  readonly fingerprint: string;
  /** Signature algorithm of the key, in the names used for assets. Undefined for keys that the platform does not accept. */
  readonly signatureAlgorithm: SignatureAlgorithm | undefined;
}

export type SignatureAlgorithm = "RSA-PKCS1-SHA256" | "ECDSA-P256-SHA256" | "Ed25519";

/** Parses PEM or DER. Returns undefined if the bytes are not an X.509 certificate or if its key cannot be read. */
export function parseCertificate(bytes: Uint8Array): AppCertificate | undefined {
  try {
    const x509 = new X509Certificate(bytes);
    // The key is parsed only on access, and the access throws if its algorithm is unknown.
    const publicKey = x509.publicKey;
    const spki = publicKey.export({ type: "spki", format: "der" });
    return {
      x509,
      publicKey,
      keyFingerprint: createHash("sha256").update(spki).digest("hex"),
      fingerprint: createHash("sha256").update(x509.raw).digest("hex"),
      signatureAlgorithm: algorithmOf(publicKey),
    };
  } catch {
    return undefined;
  }
}

/** Accepts RSA of at least 2048 bits, P-256 and Ed25519. Only RSA signs requests (docs/interface/signatures.md#keys). */
function algorithmOf(key: KeyObject): SignatureAlgorithm | undefined {
  switch (key.asymmetricKeyType) {
    case "rsa":
      return (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048 ? "RSA-PKCS1-SHA256" : undefined;
    case "ec":
      return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? "ECDSA-P256-SHA256" : undefined;
    case "ed25519":
      return "Ed25519";
    default:
      return undefined;
  }
}

/** Returns whether `now` (epoch ms) lies within the certificate's validity period. */
export function isWithinValidity(certificate: AppCertificate, now: number): boolean {
  return now >= certificate.x509.validFromDate.getTime() && now <= certificate.x509.validToDate.getTime();
}

/**
 * Returns whether the holder of `signer`'s key issued `successor`. With a successor, an app moves to a new key without an
 * administrator.
 */
export function isSuccessor(successor: AppCertificate, signer: KeyObject): boolean {
  return successor.x509.verify(signer);
}
