/** A key that signs what it is asked to, and its certificate. Nothing stores the key. */
export interface SingleUseKey {
  /** PEM, with the name as its common name. */
  readonly certificate: Uint8Array;
  /** Returns a detached signature (docs/interface/signatures.md#manifest-signature). */
  sign(data: Uint8Array): Uint8Array;
}

/** Makes a key for an app. `now`: milliseconds since the epoch. */
export type KeyMaker = (appName: string, now: number) => Promise<SingleUseKey>;
