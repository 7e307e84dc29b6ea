/**
 * Returns names so that each comes after those that it needs, otherwise in their own order. Apps that need each other in a circle keep
 * their own order: the platform refuses to install them.
 */
export function dependencyOrder(names: readonly string[], needsOf: (name: string) => readonly string[]): readonly string[] {
  const waiting = new Set(names);
  const ordered = new Set<string>();
  for (const name of names) {
    const path = [name];
    for (let current = path.at(-1); current !== undefined; current = path.at(-1)) {
      waiting.delete(current);
      const next = needsOf(current).find((need) => waiting.has(need));
      if (next !== undefined) {
        path.push(next);
        continue;
      }
      ordered.add(current);
      path.pop();
    }
  }
  return [...ordered];
}
