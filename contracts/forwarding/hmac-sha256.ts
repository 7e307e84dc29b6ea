import { hash, type KeyObject } from "node:crypto";

/** Bytes that SHA-256 reads at a time. */
const blockBytes = 64;
const digestBytes = 32;
/** What is left for a message at first. Room for longer ones is made when they come. */
const firstMessageBytes = 1_024;

interface Prepared {
  /** The key for the inner hash, and room for a message behind it. */
  inner: Buffer;
  /** The key for the outer hash, and the digest of the inner one behind it. */
  readonly outer: Buffer;
}

const prepared = new WeakMap<KeyObject, Prepared>();

/**
 * Returns the base64 of HMAC-SHA256 (RFC 2104) of a text of Latin-1. The parts of a key are prepared once: `createHmac` does it for
 * each message, at three times the cost, and every forwarded request is signed.
 */
export function hmacSha256(key: KeyObject, message: string): string {
  const parts = prepared.get(key) ?? prepare(key);
  if (parts.inner.length < blockBytes + message.length) {
    const longer = Buffer.alloc(blockBytes + 2 * message.length);
    parts.inner.copy(longer, 0, 0, blockBytes);
    parts.inner = longer;
  }
  const end = blockBytes + parts.inner.write(message, blockBytes, "latin1");
  parts.outer.write(hash("sha256", parts.inner.subarray(0, end), "binary"), blockBytes, "latin1");
  return hash("sha256", parts.outer, "base64");
}

function prepare(key: KeyObject): Prepared {
  const secret = key.export();
  const bytes = secret.length > blockBytes ? hash("sha256", secret, "buffer") : secret;
  const inner = Buffer.alloc(blockBytes + firstMessageBytes);
  const outer = Buffer.alloc(blockBytes + digestBytes);
  for (let at = 0; at < blockBytes; at += 1) {
    inner[at] = (bytes[at] ?? 0) ^ 0x36;
    outer[at] = (bytes[at] ?? 0) ^ 0x5c;
  }
  const parts = { inner, outer };
  prepared.set(key, parts);
  return parts;
}
