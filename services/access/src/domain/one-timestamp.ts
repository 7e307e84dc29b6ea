import { timestampPattern } from "@appserver/contracts/signature";

const timestamps = new RegExp(timestampPattern.source.replace(/^\^|\$$/g, ""), "g");

/** Unreserved, reserved and `%`: all characters of RFC 3986 §2, by code. */
const isUriByte = new Uint8Array(256);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$&'()*+,;=%") {
  isUriByte[character.charCodeAt(0)] = 1;
}

/**
 * Returns whether `url‖timestamp‖body` has only one reading (docs/interface/signatures.md#one-reading). The signed message has
 * no delimiters, so the same bytes could be several messages. The accepted reading is the one whose longest prefix of URI
 * characters contains exactly one timestamp, directly after the URL.
 */
export function isOnlyReading(url: string, timestamp: string, body: Uint8Array): boolean {
  const head = url + timestamp;
  for (let i = 0; i < head.length; i++) if (!isUriByte[head.charCodeAt(i)]) return false;
  const prefix = head + Buffer.from(body.buffer, body.byteOffset, uriLength(body)).toString("latin1");
  const found = [...prefix.matchAll(timestamps)];
  return found.length === 1 && found[0]?.index === url.length && found[0][0] === timestamp;
}

function uriLength(body: Uint8Array): number {
  let length = 0;
  while (length < body.length && isUriByte[body[length] ?? 0]) length++;
  return length;
}
