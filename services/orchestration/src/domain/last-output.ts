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

/** Where an uncaught error was thrown: the line that Node prints above it, and the innermost one of a traceback of Python. */
const places = [/^(?:file:\/\/)?(?<file>\/[^\s"'()]+):(?<line>\d+)$/, /^\s*File "(?<file>\/[^"]+)", line (?<line>\d+)/];

/** Returns the place of the error for which an app ended, `/app/src/server.js:3`. Undefined if its log does not say it. */
export function placeOfError(log: readonly string[]): string | undefined {
  for (const line of log.toReversed())
    for (const place of places) {
      const { file, line: number } = place.exec(line)?.groups ?? {};
      if (file !== undefined) return shortened(printable(`${file}:${number}`), longest);
    }
  return undefined;
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
