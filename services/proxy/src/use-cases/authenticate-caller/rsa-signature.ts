import { constants, createHash, createPublicKey, type KeyObject, verify } from "node:crypto";

/** Smallest RSA modulus that request signatures may use, in bits (security, RSA misuse). */
export const minimumModulusBits = 2_048;

/** Whether a key may sign requests: RSA of at least 2048 bits, and not one that is bound to PSS. */
export function isSigningKey(key: KeyObject): boolean {
  return key.asymmetricKeyType === "rsa" && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= minimumModulusBits;
}

/**
 * Whether `signature` is the RSASSA-PKCS1-v1_5 SHA-256 signature of `message` (RFC 8017 §8.2.2; specification §5 rule
 * 2). False for every other key, padding, encoding or length; never throws.
 */
export function isValidRsaSignature(key: KeyObject, message: Uint8Array, signature: Uint8Array): boolean {
  if (!isSigningKey(key)) return false;
  try {
    return verify("sha256", message, { key, padding: constants.RSA_PKCS1_PADDING }, signature);
  } catch {
    return false;
  }
}

/**
 * A key that nobody can sign for, so that an unknown app costs the same time as a bad signature. Its modulus is the
 * output of a hash: no factors are known to anyone.
 */
export function createDummyKey(): KeyObject {
  const blocks = Array.from({ length: 8 }, (_, index) => createHash("sha256").update(`appserver dummy key ${index}`).digest());
  const modulus = Buffer.concat(blocks);
  modulus[0] = (modulus[0] ?? 0) | 0x80;
  modulus[255] = (modulus[255] ?? 0) | 1;
  return createPublicKey({ key: { kty: "RSA", n: modulus.toString("base64url"), e: "AQAB" }, format: "jwk" });
}
