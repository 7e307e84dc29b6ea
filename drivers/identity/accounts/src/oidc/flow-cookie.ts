import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { PendingRequest } from "./provider.ts";

/** A sign-in at a provider that has begun in this browser. */
export interface PendingSignIn extends PendingRequest {
  readonly provider: string;
  /** Path of this platform to which the browser returns. */
  readonly returnTo: string;
  /** The token of an invitation that the person completes by it. */
  readonly invitation?: string;
  /** The session whose person proves again who they are, or connects the provider with the account. */
  readonly session?: { readonly id: string; readonly personId: string };
  readonly connects?: boolean;
  /** Milliseconds since the epoch. */
  readonly endsAt: number;
}

const ivBytes = 12;
const tagBytes = 16;

/** Seals a pending sign-in, so that a browser can keep it: the platform stores nothing for strangers. */
export function seal(pending: PendingSignIn, key: Uint8Array): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  const text = Buffer.concat([cipher.update(JSON.stringify(pending)), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]).toString("base64url");
}

/** Returns what was sealed. Undefined for any other text, and for a sign-in whose time is over. */
export function open(sealed: string, key: Uint8Array, now: number): PendingSignIn | undefined {
  const bytes = Buffer.from(sealed, "base64url");
  if (bytes.byteLength <= ivBytes + tagBytes) return undefined;
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivBytes));
    decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    const text = Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]);
    const pending = JSON.parse(text.toString()) as PendingSignIn;
    return pending.endsAt > now ? pending : undefined;
  } catch {
    return undefined;
  }
}
