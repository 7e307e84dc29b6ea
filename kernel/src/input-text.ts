/**
 * Returns why a text from outside is invalid, as the end of a sentence ("must not …"), or undefined if it is valid. PostgreSQL
 * cannot store NUL, and a lone surrogate (half of a UTF-16 pair) is not a character. No stored text contains either, so a query
 * for one finds nothing and a command with one is invalid.
 */
export function textProblem(text: string): string | undefined {
  if (text.includes("\0")) return "must not contain a NUL character";
  return text.isWellFormed() ? undefined : "must not contain half of a surrogate pair";
}

/**
 * Like `textProblem`, for names and single-line texts: also refuses control characters, including line breaks, and the
 * characters that change the direction of the surrounding text (U+202A to U+202E, U+2066 to U+2069), which can make a name look
 * like another.
 */
export function lineProblem(text: string): string | undefined {
  const problem = textProblem(text);
  if (problem !== undefined) return problem;
  return /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text) ? "must not contain control characters" : undefined;
}
