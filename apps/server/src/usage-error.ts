/** Thrown if a command line does not have the form of its command. The exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Throws {@link UsageError} for the first of the words that a command does not take. `form` is the command's form. */
export function refuseWords(words: readonly string[], form: string): void {
  const [word] = words;
  if (word !== undefined) throw new UsageError(`${JSON.stringify(word)} was not expected; expected: ${form}`);
}
