import { createCipheriv, createDecipheriv, type KeyObject } from "node:crypto";

/** NIST SP 800-38D: the length for which an IV is used as it is. */
export const ivBytes = 12;
const tagBytes = 16;
const keyBytes = 32;

/** Encrypts with AES-256-GCM. Answers ciphertext and tag in one piece. An IV must never be used twice under one key. */
export function encryptAesGcm(key: KeyObject, iv: Uint8Array, additional: Uint8Array, plaintext: Uint8Array): Buffer {
  checkSizes(key, iv);
  const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength: tagBytes });
  cipher.setAAD(additional);
  return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/**
 * Decrypts what {@link encryptAesGcm} made. Throws, and tells no part of the plaintext, when anything was altered or the
 * sizes are not ours: 256-bit key, 96-bit IV, 128-bit tag.
 */
export function decryptAesGcm(key: KeyObject, iv: Uint8Array, additional: Uint8Array, sealed: Uint8Array): Buffer {
  checkSizes(key, iv);
  if (sealed.length < tagBytes) throw new RangeError("shorter than its tag");
  // With the length fixed, Node takes no shorter tag, which would be easier to guess.
  const decipher = createDecipheriv("aes-256-gcm", key, iv, { authTagLength: tagBytes });
  decipher.setAAD(additional);
  decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(0, sealed.length - tagBytes)), decipher.final()]);
}

function checkSizes(key: KeyObject, iv: Uint8Array): void {
  if (key.symmetricKeySize !== keyBytes) throw new RangeError(`the key must have ${keyBytes} bytes`);
  if (iv.length !== ivBytes) throw new RangeError(`the IV must have ${ivBytes} bytes`);
}
