/**
 * Returns what is wrong with a text that comes from outside, as the end of a sentence ("must not …"), or undefined. PostgreSQL
 * cannot store a NUL, and a lone surrogate (half of a UTF-16 pair) is no character: neither can be part of any stored text, so a
 * query for one finds nothing and a command with one is invalid.
 */
export function textProblem(text: string): string | undefined {
  if (text.includes("\0")) return "must not contain a NUL character";
  return text.isWellFormed() ? undefined : "must not contain half of a surrogate pair";
}

/**
 * Like `textProblem`, for names and texts of one line: refuses control characters too, line breaks included, and the characters
 * that turn the direction of the text around them (U+202A to U+202E, U+2066 to U+2069), with which a name shows as another.
 */
export function lineProblem(text: string): string | undefined {
  const problem = textProblem(text);
  if (problem !== undefined) return problem;
  return /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text) ? "must not contain control characters" : undefined;
}
