import { createCipheriv, createDecipheriv, type KeyObject } from "node:crypto";

/** NIST SP 800-38D: an IV of this length is used directly. */
export const ivBytes = 12;
const tagBytes = 16;
const keyBytes = 32;

/** Encrypts with AES-256-GCM. Returns the ciphertext followed by the tag. An IV must never be used twice with the same key. */
export function encryptAesGcm(key: KeyObject, iv: Uint8Array, additional: Uint8Array, plaintext: Uint8Array): Buffer {
  checkSizes(key, iv);
  const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength: tagBytes });
  cipher.setAAD(additional);
  return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/**
 * Decrypts the output of {@link encryptAesGcm}. Throws, without revealing any plaintext, if anything was altered or a size is
 * wrong: 256-bit key, 96-bit IV, 128-bit tag.
 */
export function decryptAesGcm(key: KeyObject, iv: Uint8Array, additional: Uint8Array, sealed: Uint8Array): Buffer {
  checkSizes(key, iv);
  if (sealed.length < tagBytes) throw new RangeError("shorter than its tag");
  // With a fixed length, Node accepts no shorter tag, which would be easier to guess.
  const decipher = createDecipheriv("aes-256-gcm", key, iv, { authTagLength: tagBytes });
  decipher.setAAD(additional);
  decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(0, sealed.length - tagBytes)), decipher.final()]);
}

function checkSizes(key: KeyObject, iv: Uint8Array): void {
  if (key.symmetricKeySize !== keyBytes) throw new RangeError(`the key must have ${keyBytes} bytes`);
  if (iv.length !== ivBytes) throw new RangeError(`the IV must have ${ivBytes} bytes`);
}
