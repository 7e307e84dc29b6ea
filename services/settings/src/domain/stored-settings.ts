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

/** A change of stored values. */
export interface ValuesChange {
  readonly sets: readonly Omit<StoredValue, "updatedAt">[];
  readonly removes: readonly string[];
  readonly at: Date;
}

/** Returns the settings after a change. The version grows if `actor` is given. */
export function withChange(
  before: StoredSettings,
  { sets, removes, at }: ValuesChange,
  actor: string | undefined,
): StoredSettings {
  const values = new Map(before.values.map((value) => [value.key, value]));
  for (const key of removes) values.delete(key);
  for (const set of sets) values.set(set.key, { ...set, updatedAt: at });
  const sorted = [...values.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  if (actor === undefined) return { ...before, values: sorted };
  return { version: before.version + 1, updatedAt: at, updatedBy: actor, values: sorted };
}
