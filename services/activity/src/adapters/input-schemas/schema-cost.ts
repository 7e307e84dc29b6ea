/** Maximum cost of an app's JSON Schema to compile and, for each value of an input, to apply. */
export const schemaLimits = {
  /** Nesting levels of arrays and objects. */
  depth: 100,
  /** Number of objects and arrays in the schema. */
  parts: 5_000,
  /** Schemas that are applied to one value: all branches, with references expanded. */
  branches: 1_000,
} as const;

/** Keywords whose schemas apply to the same value as their own schema. */
const listsInPlace = ["allOf", "anyOf", "oneOf"] as const;
const mapsInPlace = ["dependentSchemas", "dependencies"] as const;
const schemasInPlace = ["not", "if", "then", "else"] as const;
const references = ["$ref", "$dynamicRef", "$recursiveRef"] as const;

type Schema = Readonly<Record<string, unknown>>;

/**
 * Returns why the schema costs too much, or undefined. Branches that refer to branches double with each level: a schema of 1 kB
 * can take minutes on any input. The cost of schemas that recur through the values of an input is not known here; their time is
 * limited where they are applied.
 */
export function schemaCostProblem(schema: object): string | undefined {
  const parts = partsOf(schema);
  if (typeof parts === "string") return parts;
  const { branches } = schemaLimits;
  const counter = new BranchCounter(schema, parts);
  for (const part of parts) {
    const count = counter.count(part);
    if (count === Number.POSITIVE_INFINITY) return "refers to itself without descending into a part of the value";
    if (count > branches) return `applies more than ${branches} schemas to one value, references unfolded`;
  }
  return undefined;
}

/** Returns every object of the schema, or why there are too many. Visits each part once and does not recurse. */
function partsOf(schema: object): readonly Schema[] | string {
  const { depth: most, parts } = schemaLimits;
  const found: Schema[] = [];
  let level: readonly object[] = [schema];
  let count = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    count += level.length;
    if (depth >= most) return `is nested deeper than ${most} levels`;
    if (count > parts) return `has more than ${parts} objects and arrays`;
    found.push(...level.filter(isSchema));
    level = level.flatMap((part) =>
      Object.values(part).filter((value): value is object => typeof value === "object" && value !== null),
    );
  }
  return found;
}

class BranchCounter {
  readonly #root: object;
  readonly #named = new Map<string, Schema>();
  readonly #counts = new Map<Schema, number>();
  readonly #open = new Set<Schema>();

  constructor(root: object, parts: readonly Schema[]) {
    this.#root = root;
    for (const part of parts) {
      for (const name of [part["$anchor"], part["$dynamicAnchor"]])
        if (typeof name === "string") this.#named.set(`#${name}`, part);
      if (typeof part["$id"] === "string") this.#named.set(part["$id"], part);
    }
  }

  /** Counts the schemas that this one applies to a value, itself included. Returns Infinity if it refers back to itself. */
  count(schema: Schema): number {
    const known = this.#counts.get(schema);
    if (known !== undefined) return known;
    if (this.#open.has(schema)) return Number.POSITIVE_INFINITY;
    this.#open.add(schema);
    const count = this.#inPlace(schema).reduce((sum, branch) => sum + this.count(branch), 1);
    this.#open.delete(schema);
    this.#counts.set(schema, count);
    return count;
  }

  #inPlace(schema: Schema): readonly Schema[] {
    const lists = listsInPlace.flatMap((keyword) => valuesOf(schema[keyword]));
    const maps = mapsInPlace.flatMap((keyword) => valuesOf(schema[keyword]));
    const single = schemasInPlace.map((keyword) => schema[keyword]);
    const targets = references.map((keyword) => this.#resolve(schema[keyword]));
    return [...lists, ...maps, ...single, ...targets].filter(isSchema);
  }

  /** References outside this document are refused or resolved by the compiler. */
  #resolve(reference: unknown): unknown {
    if (typeof reference !== "string") return undefined;
    const named = this.#named.get(reference);
    if (named) return named;
    if (reference !== "#" && !reference.startsWith("#/")) return undefined;
    const keys = reference.split("/").slice(1);
    return keys.reduce((at: unknown, key) => memberOf(at, unescaped(key)), this.#root);
  }
}

function valuesOf(value: unknown): readonly unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

/** Decodes a key of a JSON pointer in a URI fragment (RFC 6901 §6). */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return key;
  }
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
