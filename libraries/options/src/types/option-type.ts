/** The value, or a description of the expected value that completes the sentence "expected …". */
export type Reading<T> = { readonly value: T } | { readonly expected: string };

/** Returns the contents of a file. Throws like `readFileSync`. */
export type ReadFile = (path: string) => Buffer;

/** The notation of a value. It is the same in the environment, in flags and in YAML: every value arrives as text. */
export interface OptionType<T> {
  /** Completes "expected …" in messages and on the reference page. */
  readonly expected: string;
  read(text: string, readFile: ReadFile): Reading<T>;
  /** Reads the items of a YAML sequence. Absent if only a scalar is allowed. */
  readItems?(items: readonly string[]): Reading<T>;
  /** Whether the text is JSON. In YAML such a value is written as mappings and sequences. */
  readonly readsStructures?: boolean;
  /** Reads a file that does not contain text, if the option can be given by file. */
  readBytes?(bytes: Uint8Array): Reading<T>;
  /** Returns the text without the password in it. Absent if the text never contains one. */
  hidePassword?(text: string): string;
}

/** Creates a type of scalars. `read` returns undefined for an invalid text. */
export function scalar<T extends {}>(expected: string, read: (text: string) => T | undefined): OptionType<T> {
  return {
    expected,
    read: (text) => {
      const value = read(text);
      return value === undefined ? { expected } : { value };
    },
  };
}
