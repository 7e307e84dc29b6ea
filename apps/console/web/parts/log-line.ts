export const levels = ["error", "warning", "info", "debug"] as const;
export type Level = (typeof levels)[number];

/** What a line of a log says: a line of JSON by its fields, any other one as a whole. */
export interface ParsedLine {
  readonly level: Level | undefined;
  readonly message: string;
  /** The other fields of a line of JSON, as `name=value`. */
  readonly fields: string;
  readonly requestId: string | undefined;
}

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
/** Colours and movements of a terminal. */
const escapes = /\u001b\[[0-9;?]*[A-Za-z]/g;
const requestIdPattern = /^[A-Za-z0-9._-]{1,64}$/;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Parses a line. Its level is the field `level` or `severity`, else the first word at its beginning that is one; numbers are those of
 * pino and bunyan. Its request is the field `requestId` or `request_id`.
 */
export function parseLine(line: string): ParsedLine {
  const text = line.replace(escapes, "");
  const all = fieldsOf(text);
  const { msg, message = msg, level, severity = level, time, timestamp, traceId, requestId, request_id, ...others } = all;
  const id = requestId ?? request_id;
  const isReadable = typeof message === "string";
  return {
    level: levelOf(severity) ?? levelOfText(isReadable && severity !== undefined ? "" : text),
    message: isReadable ? message : text,
    fields: isReadable
      ? Object.entries(others)
          .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
          .join(" ")
      : "",
    requestId: typeof id === "string" && requestIdPattern.test(id) ? id : undefined,
  };
}

function levelOf(field: unknown): Level | undefined {
  if (typeof field === "number") return field >= 50 ? "error" : field >= 40 ? "warning" : field >= 30 ? "info" : "debug";
  return typeof field === "string" ? words[field.toLowerCase()] : undefined;
}

function levelOfText(text: string): Level | undefined {
  const found = word.exec(text.slice(0, beginning))?.[1];
  return found === undefined ? undefined : words[found.toLowerCase()];
}

/** The platform may notice a line some hundred milliseconds after the app has printed it. */
const noticedWithinMs = 2_000;

/** Returns when a line was printed, as epoch milliseconds: by its own time, if it has one near to `noticed`. */
export function printedAt(line: string, noticed: string): number {
  const { time, timestamp = time } = fieldsOf(line);
  const at = Date.parse(noticed);
  const own = typeof timestamp === "string" ? Date.parse(timestamp) : Number(timestamp);
  return Math.abs(own - at) < noticedWithinMs ? own : at;
}

/** Returns the fields of a line of JSON. Any other line has none. */
function fieldsOf(text: string): Fields {
  if (!text.startsWith("{") || text.length > maxJson) return {};
  try {
    return JSON.parse(text) as Fields;
  } catch {
    return {};
  }
}
