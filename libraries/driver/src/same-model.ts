/** Members whose empty object has a meaning: "directly assigned" and "every user of the type". */
const meaningfulWhenEmpty: ReadonlySet<string> = new Set(["this", "wildcard"]);

/**
 * Whether two authorization models in JSON form are equivalent. A server returns a model with an id, and with nulls, empty
 * texts and empty objects for members absent from the written model.
 */
export function isSameModel(left: object, right: object): boolean {
  return canonical(left) === canonical(right);
}

function canonical(model: object): string {
  const { id: _, ...content } = model as { id?: string };
  return JSON.stringify(normalise(content));
}

function normalise(value: unknown, key = ""): unknown {
  if (value === null || value === "") return undefined;
  if (typeof value !== "object") return value;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => normalise(item));
  const members = Object.entries(value)
    .map(([name, member]) => [name, normalise(member, name)] as const)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return members.length === 0 && !meaningfulWhenEmpty.has(key) ? undefined : Object.fromEntries(members);
}
