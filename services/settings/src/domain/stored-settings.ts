/** One value as it is stored. */
export interface StoredValue {
  readonly key: string;
  /** JSON, or what `sealValue` makes of it. */
  readonly text: string;
  readonly sealed: boolean;
  readonly updatedAt: Date;
}

/** What is stored for an app. */
export interface StoredSettings {
  /** Grows by one with every change; 0 before the first. */
  readonly version: number;
  readonly updatedAt: Date | undefined;
  readonly updatedBy: string | undefined;
  readonly values: readonly StoredValue[];
}

/** A stored value made readable, or why it cannot be. */
export type DecodedValue = {
  readonly key: string;
  readonly sealed: boolean;
  readonly updatedAt: Date;
} & ({ readonly value: unknown; readonly unreadable?: undefined } | { readonly unreadable: string });
