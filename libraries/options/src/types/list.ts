import type { OptionType, Reading } from "./option-type.ts";

/** A list of items of one type: separated by commas, or a YAML sequence. */
export function listOf<T>(item: OptionType<T>): OptionType<readonly T[]> {
  const expected = `a list, separated by commas, of: ${item.expected}`;
  const readItems = (items: readonly string[]): Reading<readonly T[]> => {
    const values: T[] = [];
    for (const each of items) {
      const reading = item.read(each, noFiles);
      if ("expected" in reading) return { expected };
      values.push(reading.value);
    }
    return { value: values };
  };
  return {
    expected,
    read: (text) =>
      readItems(
        text
          .split(",")
          .map((part) => part.trim())
          .filter((part) => part !== ""),
      ),
    readItems,
  };
}

function noFiles(path: string): never {
  throw new Error(`a list cannot be read from files: ${path}`);
}
