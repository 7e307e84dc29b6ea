const longest = 300;
/** Lines of a stack trace, of a source excerpt, and the lines that Node prints below an uncaught error. */
const noise = /^(?:\s|\^|Node\.js v\d|at )/;
const errorWord = /\b(?:error|exception|panic|fatal|fail(?:ed|ure)?|cannot|denied|missing|not (?:found|configured|set))\b/i;

/**
 * Returns the line of an app's log that most likely explains why the app ended: the last line with an error word, else the last
 * line. At most 300 characters, with control characters replaced. Undefined for an empty log.
 */
export function lastOutput(log: string): string | undefined {
  const lines = log.split(/\r?\n/).filter((line) => line.trim() !== "" && !noise.test(line));
  const line = lines.findLast((candidate) => errorWord.test(candidate)) ?? lines.at(-1);
  if (line === undefined) return undefined;
  const printable = line.replace(/\p{Cc}+/gu, " ").trim();
  return printable.length > longest ? `${printable.slice(0, longest)}…` : printable;
}
