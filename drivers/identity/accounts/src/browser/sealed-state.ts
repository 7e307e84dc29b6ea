import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Clock } from "@appserver/kernel";

export interface SealedStateOptions {
  /** What is sealed for one purpose cannot be opened for another. */
  readonly purpose: string;
  readonly validMs: number;
  readonly key: () => Promise<Uint8Array>;
  readonly clock: Pick<Clock, "now">;
}

interface Sealed<State> {
  readonly state: State;
  /** Milliseconds since the epoch. */
  readonly endsAt: number;
}

const algorithm = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;

/** State of a flow that a browser keeps, in a cookie or a hidden field. It is encrypted, so that the platform stores nothing for strangers. */
export class SealedState<State> {
  readonly #options: SealedStateOptions;

  constructor(options: SealedStateOptions) {
    this.#options = options;
  }

  async seal(state: State): Promise<string> {
    const { purpose, validMs, key, clock } = this.#options;
    const sealed: Sealed<State> = { state, endsAt: clock.now() + validMs };
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv(algorithm, await key(), iv).setAAD(Buffer.from(purpose));
    const text = Buffer.concat([cipher.update(JSON.stringify(sealed)), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), text]).toString("base64url");
  }

  /** Returns what was sealed. Undefined for any other text, and if its time is over, or will be in `leftMs`. */
  async open(text: string | null | undefined, leftMs = 0): Promise<State | undefined> {
    const { clock, key } = this.#options;
    const bytes = Buffer.from(text ?? "", "base64url");
    if (bytes.byteLength <= ivBytes + tagBytes) return undefined;
    const sealed = this.#decrypted(bytes, await key());
    return sealed !== undefined && sealed.endsAt > clock.now() + leftMs ? sealed.state : undefined;
  }

  #decrypted(bytes: Buffer, key: Uint8Array): Sealed<State> | undefined {
    try {
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes));
      decipher.setAAD(Buffer.from(this.#options.purpose)).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      const text = Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]);
      return JSON.parse(text.toString()) as Sealed<State>;
    } catch {
      return undefined;
    }
  }
}
