import type { OptionType, ReadFile, Reading } from "./option-type.ts";

/** A mapping, as JSON and YAML have it. */
export type Fields = Readonly<Record<string, unknown>>;

export interface StructuresOf<T> {
  /** What the items are, with their fields: completes "expected …". */
  readonly expected: string;
  /** Returns the item, or what was expected at one of its fields. */
  readonly read: (fields: Fields, readFile: ReadFile) => Reading<T>;
  /** Fields that are never shown. */
  readonly secrets?: readonly string[];
}

/** A list of mappings: a YAML sequence, or JSON. */
export function structures<T>({ expected, read, secrets = [] }: StructuresOf<T>): OptionType<readonly T[]> {
  return {
    expected,
    readsStructures: true,
    read: (text, readFile) => {
      const items = itemsOf(text);
      if (items === undefined) return { expected };
      const values: T[] = [];
      for (const [index, fields] of items.entries()) {
        const reading = read(fields, readFile);
        if ("expected" in reading) return { expected: `${reading.expected} (item ${index + 1})` };
        values.push(reading.value);
      }
      return { value: values };
    },
    hidePassword: (text) => {
      const items = itemsOf(text);
      if (items === undefined) return "***";
      const hidden = items.map((fields) =>
        Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, secrets.includes(name) ? "***" : value])),
      );
      return JSON.stringify(hidden);
    },
  };
}

export interface MappingOf {
  /** What the mapping is: completes "expected …". */
  readonly expected: string;
  /** The form of each value, which is one text or a list of texts. */
  readonly values: RegExp;
}

/** A mapping from names to one text or several: a YAML mapping, or JSON. */
export function mapping({ expected, values }: MappingOf): OptionType<Readonly<Record<string, readonly string[]>>> {
  return {
    expected,
    readsStructures: true,
    read: (text) => {
      const fields = fieldsOf(text);
      if (fields === undefined) return { expected };
      const read = Object.entries(fields).map(([name, value]) => [name, [value].flat()] as const);
      for (const [name, texts] of read)
        for (const each of texts)
          if (typeof each !== "string" || !values.test(each))
            return { expected: `${expected}; got ${JSON.stringify(each)} at ${JSON.stringify(name)}` };
      return { value: Object.fromEntries(read) as Record<string, string[]> };
    },
  };
}

function fieldsOf(text: string): Fields | undefined {
  try {
    const fields: unknown = JSON.parse(text);
    return isFields(fields) ? fields : undefined;
  } catch {
    return undefined;
  }
}

function itemsOf(text: string): readonly Fields[] | undefined {
  try {
    const items: unknown = JSON.parse(text);
    return Array.isArray(items) && items.every(isFields) ? items : undefined;
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
