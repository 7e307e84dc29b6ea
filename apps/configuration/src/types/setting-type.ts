/** What was read, or what a reader should have found instead: completes the sentence "expected …". */
export type Reading<T> = { readonly value: T } | { readonly expected: string };

/** Contents of a file; throws as `readFileSync` does. */
export type ReadFile = (path: string) => Buffer;

/**
 * How a value is written, whether in the environment, as a flag or in YAML: everything arrives as text, so that one value
 * means the same everywhere.
 */
export interface SettingType<T> {
  /** Completes "expected …" in messages and on the reference page. */
  readonly expected: string;
  read(text: string, readFile: ReadFile): Reading<T>;
  /** Reads the items of a YAML sequence; absent where only a scalar will do. */
  readItems?(items: readonly string[]): Reading<T>;
  /** Reads a file that holds no text, where the setting may be given by file. */
  readBytes?(bytes: Uint8Array): Reading<T>;
  /** The text without the password in it; absent where the text never holds one. */
  hidePassword?(text: string): string;
}

/** A type of scalars; `read` answers undefined for what is not one. */
export function scalar<T extends {}>(expected: string, read: (text: string) => T | undefined): SettingType<T> {
  return {
    expected,
    read: (text) => {
      const value = read(text);
      return value === undefined ? { expected } : { value };
    },
  };
}
