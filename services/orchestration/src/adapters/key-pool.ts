import { generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";

export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** Enough for the two deployments that an installation of two apps starts together. Further ones wait for their key. */
const sparePairs = 2;
const rsaBits = 2_048;

/**
 * RSA keys that were made ahead of time, so that the start of a container does not wait for one. RSA, because request signatures
 * are (docs/interface/signatures.md#keys). Keys are made outside of the event loop.
 */
export class KeyPool {
  readonly #spare: Promise<KeyPair>[] = [];

  /** Begins to make keys. */
  fill(): void {
    while (this.#spare.length < sparePairs) {
      const pair = makePair();
      // The failure is reported to the caller that takes the key.
      pair.catch(() => {});
      this.#spare.push(pair);
    }
  }

  async take(): Promise<KeyPair> {
    const pair = this.#spare.shift() ?? makePair();
    this.fill();
    return await pair;
  }
}

function makePair(): Promise<KeyPair> {
  return promisify(generateKeyPair)("rsa", { modulusLength: rsaBits });
}
