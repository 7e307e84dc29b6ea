/** What a list gains and loses. Both are sorted by key. */
export interface SetDifferences<T> {
  readonly added: readonly T[];
  readonly removed: readonly T[];
}

/** An entry that both lists have, with different content. */
export interface Change<T> {
  readonly from: T;
  readonly to: T;
  /** The names of the fields that differ, sorted. */
  readonly fields: readonly (keyof T & string)[];
}

export interface ListDifferences<T> extends SetDifferences<T> {
  readonly changed: readonly Change<T>[];
}

/** Compares two lists whose entries have a key. Of several entries with the same key, the first counts. */
export function setDifferences<T>(from: readonly T[], to: readonly T[], keyOf: (entry: T) => string): SetDifferences<T> {
  const [before, after] = [byKey(from, keyOf), byKey(to, keyOf)];
  return { added: entriesOutside(after, before), removed: entriesOutside(before, after) };
}

/** Like {@link setDifferences}, and compares the entries that both lists have. Texts, numbers and lists are compared by value. */
export function listDifferences<T extends object>(
  from: readonly T[],
  to: readonly T[],
  keyOf: (entry: T) => string,
): ListDifferences<T> {
  const [before, after] = [byKey(from, keyOf), byKey(to, keyOf)];
  const changed = [...before].flatMap(([key, entry]) => {
    const other = after.get(key);
    return other ? changeBetween(entry, other) : [];
  });
  return { added: entriesOutside(after, before), removed: entriesOutside(before, after), changed };
}

/** Returns the change in a list of one, or an empty list if the entries are equal. */
export function changeBetween<T extends object>(from: T, to: T): readonly Change<T>[] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])] as (keyof T & string)[];
  const fields = names.filter((name) => JSON.stringify(from[name]) !== JSON.stringify(to[name])).sort();
  return fields.length > 0 ? [{ from, to, fields }] : [];
}

/** Compares texts by code units, which every process does the same way. */
export function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Sorted by key. */
function byKey<T>(entries: readonly T[], keyOf: (entry: T) => string): ReadonlyMap<string, T> {
  const first = new Map([...entries].reverse().map((entry) => [keyOf(entry), entry]));
  return new Map([...first].sort(([a], [b]) => compareTexts(a, b)));
}

function entriesOutside<T>(entries: ReadonlyMap<string, T>, others: ReadonlyMap<string, T>): readonly T[] {
  return [...entries].filter(([key]) => !others.has(key)).map(([, entry]) => entry);
}
