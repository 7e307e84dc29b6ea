/** Colours and movements of a terminal. */
const escapes = /\u001b\[[0-9;?]*[A-Za-z]/g;

/** What every line of a trace has in common, and what the row shows otherwise. */
const omitted: ReadonlySet<string> = new Set([
  "msg",
  "message",
  "level",
  "severity",
  "time",
  "timestamp",
  "requestId",
  "traceId",
]);

/** Returns the message of a line of JSON, and its other fields. Any other line is a message. */
export function readableLine(line: string): { readonly message: string; readonly fields: string } {
  const text = line.replace(escapes, "");
  const { msg, message = msg, ...others } = fieldsOf(text);
  if (typeof message !== "string") return { message: text, fields: "" };
  const fields = Object.entries(others)
    .filter(([name]) => !omitted.has(name))
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  return { message, fields: fields.join(" ") };
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

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  if (!text.startsWith("{")) return {};
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
