import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";

export {
  type DeviceAuthorization,
  type DeviceAuthorizationRequest,
  type DeviceToken,
  type DeviceTokenError,
  devicePaths,
} from "./device.ts";
export {
  type ExchangedTokenResponse,
  type TokenErrorResponse,
  tokenExchangeGrant,
  tokenExchangePath,
  tokenTypes,
} from "./token-exchange.ts";

/** The page on which a user gives `appctl` a session (docs/interface/permissions.md#command-line). */
export const commandLinePath = "/console/command-line";
/** The page that follows when `appctl` has the session. */
export const commandLineDonePath: string = `${commandLinePath}/done`;

/** What `appctl` asks the page for: its query, and that of its response to the local port. */
export interface SessionRequest {
  /** On 127.0.0.1, where `appctl` waits. */
  readonly port: number;
  /** Returned as it is, so that `appctl` accepts only the response to its own request. */
  readonly state: string;
  /** The key for which the token is encrypted: 32 bytes of X25519 in base64url. */
  readonly key: string;
}

/** A bearer token that begins with this is the value of a session cookie. */
export const cookieTokenPrefix = "cookie.";

const keyPattern = /^[A-Za-z0-9_-]{43}$/;
const statePattern = /^[A-Za-z0-9_-]{22,64}$/;

/** Reads the query of the page. Returns undefined if it is not a request of `appctl`. */
export function readSessionRequest(query: Readonly<Record<string, unknown>>): SessionRequest | undefined {
  const { port, state, key } = query;
  const isPort = typeof port === "string" && /^\d{4,5}$/.test(port) && Number(port) >= 1024 && Number(port) <= 65_535;
  if (!isPort || typeof state !== "string" || typeof key !== "string") return undefined;
  return statePattern.test(state) && keyPattern.test(key) ? { port: Number(port), state, key } : undefined;
}

/** Returns what both the page and `appctl` show, so that the user sees that they belong together: `4F2A-91CC`. */
export function codeOf({ key }: Pick<SessionRequest, "key">): string {
  const digest = createHash("sha256").update(key).digest("hex").slice(0, 8).toUpperCase();
  return `${digest.slice(0, 4)}-${digest.slice(4)}`;
}

/** Returns whether {@link sealFor} can encrypt for a key. Costs one key agreement: some keys of the right length have none (RFC 7748 §6.1). */
export function isSessionKey(key: string): boolean {
  if (!keyPattern.test(key)) return false;
  try {
    sealFor(key, "");
    return true;
  } catch {
    return false;
  }
}

/** Decrypts what was encrypted for its key. */
export class SessionKey {
  readonly #privateKey: KeyObject;
  /** 32 bytes of X25519 in base64url. */
  readonly publicKey: string;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync("x25519");
    this.#privateKey = privateKey;
    this.publicKey = rawOf(publicKey);
  }

  /** Throws if the text was not encrypted for this key. */
  open(sealed: string): string {
    const bytes = Buffer.from(sealed, "base64url");
    const sender = bytes.subarray(0, 32).toString("base64url");
    const decipher = createDecipheriv(
      "aes-256-gcm",
      secretOf(this.#privateKey, sender, this.publicKey),
      bytes.subarray(32, 44),
    );
    decipher.setAuthTag(bytes.subarray(44, 60));
    return Buffer.concat([decipher.update(bytes.subarray(60)), decipher.final()]).toString("utf8");
  }
}

/**
 * Encrypts a text for a {@link SessionKey}, as base64url: a key of the sender, nonce, tag and text (X25519, HKDF-SHA256, AES-256-GCM).
 * The address with it stays in the history of the browser and is useless there.
 */
export function sealFor(publicKey: string, text: string): string {
  const sender = generateKeyPairSync("x25519");
  const from = rawOf(sender.publicKey);
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", secretOf(sender.privateKey, from, publicKey, publicKey), nonce);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([Buffer.from(from, "base64url"), nonce, cipher.getAuthTag(), sealed]).toString("base64url");
}

function secretOf(privateKey: KeyObject, sender: string, recipient: string, other: string = sender): Buffer {
  const publicKey = createPublicKey({ key: { kty: "OKP", crv: "X25519", x: other }, format: "jwk" });
  const shared = diffieHellman({ privateKey, publicKey });
  return Buffer.from(hkdfSync("sha256", shared, `${sender}.${recipient}`, "appserver command line", 32));
}

function rawOf(publicKey: KeyObject): string {
  return publicKey.export({ format: "jwk" }).x ?? "";
}
