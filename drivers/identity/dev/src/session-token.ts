import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";

export interface SessionClaims {
  readonly userId: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Distinguishes the token from other kinds and later formats, also inside the signature. */
const prefix = "dev1";

/**
 * Returns `dev1.<claims>.<HMAC-SHA256>`: a session that needs no storage and survives a restart with the same secret. No two are equal, so
 * that each can end by itself.
 */
export function signSession(claims: SessionClaims, secret: Uint8Array): string {
  const body = `${prefix}.${Buffer.from(JSON.stringify([claims.userId, claims.expiresAt, randomUUID()])).toString("base64url")}`;
  return `${body}.${mac(body, secret)}`;
}

/** Returns the claims of a token with our signature, expired or not; undefined for any other token. */
export function openSession(token: string, secret: Uint8Array): SessionClaims | undefined {
  const end = token.lastIndexOf(".");
  const body = token.slice(0, Math.max(0, end));
  // Compared as text: decoding would accept several spellings of one signature.
  const given = Buffer.from(token.slice(end + 1));
  const expected = Buffer.from(mac(body, secret));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  if (!body.startsWith(`${prefix}.`)) return undefined;
  const [userId, expiresAt] = JSON.parse(Buffer.from(body.slice(prefix.length + 1), "base64url").toString()) as [
    string,
    number,
    string,
  ];
  return { userId, expiresAt };
}

function mac(body: string, secret: Uint8Array): string {
  return createHmac("sha256", secret).update(body).digest("base64url");
}
