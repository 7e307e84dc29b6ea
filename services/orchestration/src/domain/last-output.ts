const longest = 300;
const keptLines = 20;
const maxKept = 1_000;
/** Lines of a stack trace, of a source excerpt, and the lines that Node prints below an uncaught error. */
const noise = /^(?:\s|\^|Node\.js v\d|at )/;
const errorWord = /\b(?:error|exception|panic|fatal|fail(?:ed|ure)?|cannot|denied|missing|not (?:found|configured|set))\b/i;

/**
 * Returns the line of an app's log that most likely explains why the app ended: the last line with an error word, else the last
 * line. At most 300 characters, with control characters replaced. Undefined for an empty log.
 */
export function lastOutput(log: readonly string[]): string | undefined {
  const lines = log.filter((line) => line.trim() !== "" && !noise.test(line));
  const line = lines.findLast((candidate) => errorWord.test(candidate)) ?? lines.at(-1);
  return line === undefined ? undefined : shortened(printable(line).trim(), longest);
}

/** Returns the last lines of an app's log: at most 20, of at most 1,000 characters, with control characters replaced. */
export function keptOutput(log: readonly string[]): readonly string[] {
  return log.slice(-keptLines).map((line) => shortened(printable(line), maxKept));
}

function printable(line: string): string {
  return line.replace(/\p{Cc}+/gu, " ");
}

function shortened(line: string, length: number): string {
  return line.length > length ? `${line.slice(0, length).toWellFormed()}…` : line;
}
