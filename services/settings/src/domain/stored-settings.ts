/** One stored value. */
export interface StoredValue {
  readonly key: string;
  /** JSON, or the output of `sealValue`. */
  readonly text: string;
  readonly sealed: boolean;
  readonly updatedAt: Date;
}

/** The stored settings of an app. */
export interface StoredSettings {
  /** Grows by one with every change. 0 before the first change. */
  readonly version: number;
  readonly updatedAt: Date | undefined;
  readonly updatedBy: string | undefined;
  readonly values: readonly StoredValue[];
}

/** A decoded value, or the reason why it cannot be decoded. */
export type DecodedValue = {
  readonly key: string;
  readonly sealed: boolean;
  readonly updatedAt: Date;
} & ({ readonly value: unknown; readonly unreadable?: undefined } | { readonly unreadable: string });
