/** Encrypts secrets of other parts of the platform with the same keys as secret settings. */
export interface SecretSeal {
  /** `owner` and `name` are part of what is sealed: the text opens only with both. */
  seal(owner: string, name: string, text: string): Promise<string>;
  /** Rejects if the text was altered or moved, or if its key is not configured. */
  open(owner: string, name: string, sealed: string): Promise<string>;
}

/** A secret that no configured key opens. It is not changed. */
export interface UnreadableSecret {
  /** An app's id, `platform`, or `person:<id>`. */
  readonly owner: string;
  readonly name: string;
  readonly problem: string;
}
