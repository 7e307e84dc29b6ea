import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** Options of a ceremony, as the platform sends them. */
export interface CeremonyOptions {
  readonly challenge: string;
  readonly rpId?: string;
  readonly rp?: { readonly id?: string };
  readonly user?: { readonly id: string };
}

/** How a ceremony differs from an honest one. */
export interface Deviation {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly counter?: number;
  readonly isVerified?: boolean;
  readonly userHandle?: string;
  readonly type?: string;
}

const [userPresent, userVerified, hasCredential] = [0x01, 0x04, 0x40];

/** An authenticator with one passkey, written from WebAuthn level 3, and the browser in front of it. */
export class SoftwareAuthenticator {
  readonly #origin: string;
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly #id = randomBytes(16);
  #userHandle = "";
  counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
  }

  get credentialId(): string {
    return this.#id.toString("base64url");
  }

  /** `navigator.credentials.create`. Returns the response as JSON. */
  create(options: CeremonyOptions, deviation: Deviation = {}): string {
    this.#userHandle = options.user?.id ?? "";
    const rpId = deviation.rpId ?? options.rp?.id ?? "";
    const idLength = Buffer.from([0, this.#id.length]);
    const attested = Buffer.concat([Buffer.alloc(16), idLength, this.#id, coseKey(this.#keys.publicKey)]);
    const data = Buffer.concat([this.#head(rpId, hasCredential, deviation), attested]);
    const attestationObject = cbor(
      new Map<string, unknown>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", data],
      ]),
    );
    const clientDataJSON = this.#clientData("webauthn.create", options, deviation);
    return this.#response({
      clientDataJSON: clientDataJSON.toString("base64url"),
      attestationObject: attestationObject.toString("base64url"),
      transports: ["internal"],
    });
  }

  /** `navigator.credentials.get`. Returns the response as JSON. */
  get(options: CeremonyOptions, deviation: Deviation = {}): string {
    const data = this.#head(deviation.rpId ?? options.rpId ?? "", 0, deviation);
    const clientDataJSON = this.#clientData("webauthn.get", options, deviation);
    const signed = Buffer.concat([data, createHash("sha256").update(clientDataJSON).digest()]);
    return this.#response({
      clientDataJSON: clientDataJSON.toString("base64url"),
      authenticatorData: data.toString("base64url"),
      signature: sign("sha256", signed, this.#keys.privateKey).toString("base64url"),
      userHandle: deviation.userHandle ?? this.#userHandle,
    });
  }

  #head(rpId: string, flags: number, { isVerified = true, counter }: Deviation): Buffer {
    this.counter = counter ?? this.counter + 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.counter);
    const all = userPresent | (isVerified ? userVerified : 0) | flags;
    return Buffer.concat([createHash("sha256").update(rpId).digest(), Buffer.from([all]), count]);
  }

  #clientData(type: string, options: CeremonyOptions, deviation: Deviation): Buffer {
    const { origin = this.#origin, challenge = options.challenge } = deviation;
    return Buffer.from(JSON.stringify({ type: deviation.type ?? type, challenge, origin, crossOrigin: false }));
  }

  #response(response: object): string {
    const id = this.credentialId;
    return JSON.stringify({ id, rawId: id, type: "public-key", clientExtensionResults: {}, response });
  }
}

/** COSE key of ES256 (RFC 9053). */
function coseKey(key: KeyObject): Buffer {
  const { x = "", y = "" } = key.export({ format: "jwk" });
  return cbor(
    new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, "base64url")],
      [-3, Buffer.from(y, "base64url")],
    ]),
  );
}

/** CBOR (RFC 8949) of small integers, texts, bytes and maps. */
function cbor(value: unknown): Buffer {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const entries = [...(value as Map<unknown, unknown>)];
  return Buffer.concat([head(5, entries.length), ...entries.flatMap((entry) => entry.map(cbor))]);
}

function head(major: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(major << 5) | size]);
  return size < 256 ? Buffer.from([(major << 5) | 24, size]) : Buffer.from([(major << 5) | 25, size >> 8, size & 0xff]);
}
