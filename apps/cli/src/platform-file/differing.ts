/** Returns what only the first list has, and what only the second one has. */
export function differing<T>(
  wanted: readonly T[],
  existing: readonly T[],
  keyOf: (each: T) => string,
): readonly [added: readonly T[], removed: readonly T[]] {
  const wantedKeys = new Set(wanted.map(keyOf));
  const existingKeys = new Set(existing.map(keyOf));
  return [wanted.filter((each) => !existingKeys.has(keyOf(each))), existing.filter((each) => !wantedKeys.has(keyOf(each)))];
}
