import { constants, createHash, createPublicKey, hash, type KeyObject, publicDecrypt } from "node:crypto";

/** Smallest RSA modulus that request signatures may use, in bits (docs/interface/signatures.md#keys). */
export const minimumModulusBits = 2_048;

/** Returns whether a key may sign requests: RSA of at least 2048 bits, not restricted to PSS. */
export function isSigningKey(key: KeyObject): boolean {
  return modulusBits(key) >= minimumModulusBits;
}

/** Node exports a key each time that its details are read. */
const knownModulusBits = new WeakMap<KeyObject, number>();

/** Returns 0 for a key that is not RSA, or restricted to PSS. */
function modulusBits(key: KeyObject): number {
  const known = knownModulusBits.get(key);
  if (known !== undefined) return known;
  const bits = key.asymmetricKeyType === "rsa" ? (key.asymmetricKeyDetails?.modulusLength ?? 0) : 0;
  knownModulusBits.set(key, bits);
  return bits;
}

/** DER of the `DigestInfo` of SHA-256 up to the digest (RFC 8017 §9.2, note 1). */
const digestInfo = Buffer.from("3031300d060960864801650304020105000420", "hex");
const digestBytes = 32;

/**
 * Returns the SHA-256 digest that the holder of `key` signed by RSASSA-PKCS1-v1_5 (RFC 8017 §8.2.2;
 * docs/interface/signatures.md#keys). Returns undefined for every other key, padding, encoding or length. Never throws. It
 * always costs one RSA operation. If a signature may belong to one of several messages, the digest is compared with each of
 * them.
 */
export function signedDigest(key: KeyObject, signature: Uint8Array): Buffer | undefined {
  if (!isSigningKey(key) || signature.length !== Math.ceil(modulusBits(key) / 8)) return undefined;
  try {
    // Removing the padding checks all of it. The rest has a fixed length, so the padding has one form.
    const signed = publicDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, signature);
    const isSha256 =
      signed.length === digestInfo.length + digestBytes && signed.subarray(0, digestInfo.length).equals(digestInfo);
    return isSha256 ? signed.subarray(digestInfo.length) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether `signature` belongs to `message`. False whenever {@link signedDigest} returns undefined. */
export function isValidRsaSignature(key: KeyObject, message: Uint8Array, signature: Uint8Array): boolean {
  return signedDigest(key, signature)?.equals(sha256(message)) ?? false;
}

export function sha256(message: Uint8Array): Buffer {
  return hash("sha256", message, "buffer");
}

/**
 * Creates a key for which no private key exists, so that an unknown app costs the same time as a bad signature. Its modulus is
 * the output of a hash, so its factors are not known.
 */
export function createDummyKey(): KeyObject {
  const blocks = Array.from({ length: 8 }, (_, index) => createHash("sha256").update(`appserver dummy key ${index}`).digest());
  const modulus = Buffer.concat(blocks);
  modulus[0] = (modulus[0] ?? 0) | 0x80;
  modulus[255] = (modulus[255] ?? 0) | 1;
  return createPublicKey({ key: { kty: "RSA", n: modulus.toString("base64url"), e: "AQAB" }, format: "jwk" });
}
