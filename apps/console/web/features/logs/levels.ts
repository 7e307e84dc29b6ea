export const levels = ["error", "warning", "info", "debug"] as const;
export type Level = (typeof levels)[number];

const words: Readonly<Record<string, Level>> = {
  fatal: "error",
  critical: "error",
  error: "error",
  err: "error",
  warning: "warning",
  warn: "warning",
  info: "info",
  notice: "info",
  debug: "debug",
  trace: "debug",
};
const beginning = 120;
const word = new RegExp(`(?:^|[\\s[(|="':])(${Object.keys(words).join("|")})(?=[\\s\\])|"':,]|$)`, "i");
const maxJson = 20_000;

/** Returns the level of a line: of its field `level` or `severity` if it is JSON, else the first word at its beginning that is one. */
export function levelOf(text: string): Level | undefined {
  const field = text.startsWith("{") && text.length <= maxJson ? levelOfJson(text) : undefined;
  if (typeof field === "number") return field >= 50 ? "error" : field >= 40 ? "warning" : field >= 30 ? "info" : "debug";
  if (typeof field === "string") return words[field.toLowerCase()];
  const found = word.exec(text.slice(0, beginning))?.[1];
  return found === undefined ? undefined : words[found.toLowerCase()];
}

/** Numbers are those of pino and bunyan: 30 is info, 40 a warning, 50 an error. */
function levelOfJson(text: string): unknown {
  try {
    const { level, severity } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return level ?? severity;
  } catch {
    return undefined;
  }
}
