import { createHash, type KeyObject, X509Certificate } from "node:crypto";

/** What the platform needs to know of an app's certificate. */
export interface AppCertificate {
  readonly x509: X509Certificate;
  readonly publicKey: KeyObject;
  /** SHA-256 of the public key (SPKI, DER), hex: the app's identity. */
  readonly keyFingerprint: string;
  /** SHA-256 of the certificate, hex. */
  readonly fingerprint: string;
  /** Signature algorithm of the key, as assets use it; undefined for keys that the platform does not accept. */
  readonly signatureAlgorithm: SignatureAlgorithm | undefined;
}

export type SignatureAlgorithm = "RSA-PKCS1-SHA256" | "ECDSA-P256-SHA256" | "Ed25519";

/** Parses PEM or DER; undefined when it is no X.509 certificate, or one whose key cannot be read. */
export function parseCertificate(bytes: Uint8Array): AppCertificate | undefined {
  try {
    const x509 = new X509Certificate(bytes);
    // The key is parsed on access only, and throws there when its algorithm is unknown.
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

/** RSA of at least 2048 bits, P-256 or Ed25519. Only RSA signs requests (docs/interface/signatures.md#keys). */
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

/** Whether `now` (epoch ms) lies within the certificate's dates. */
export function isWithinValidity(certificate: AppCertificate, now: number): boolean {
  return now >= certificate.x509.validFromDate.getTime() && now <= certificate.x509.validToDate.getTime();
}

/** Whether the holder of `signer`'s key issued `successor`: the way an app moves to a new key by itself. */
export function isSuccessor(successor: AppCertificate, signer: KeyObject): boolean {
  return successor.x509.verify(signer);
}
