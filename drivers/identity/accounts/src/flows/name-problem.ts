const maxLength = 100;

/** Returns what is wrong with a person's name, as a sentence. */
export function nameProblem(name: string): string | undefined {
  if (name === "") return "Enter a name. Others see it.";
  if (name.length > maxLength) return `A name has at most ${maxLength} characters.`;
  return /\p{Cc}/u.test(name) ? "A name has no control characters." : undefined;
}
