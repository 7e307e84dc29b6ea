/**
 * Structured log: one JSON line per call. The shape is that of pino, so a pino logger can be passed. Fields that are
 * {@link WithLogJson} may be written as they say.
 */
export interface Logger {
  debug(fields: object, message?: string): void;
  info(fields: object, message?: string): void;
  warn(fields: object, message?: string): void;
  error(fields: object, message?: string): void;
  child(bindings: object): Logger;
}

export const logJson: unique symbol = Symbol("logJson");

/** Fields that know their own JSON, for lines of which there are many: a general serializer costs four times as much. */
export interface WithLogJson {
  /** Returns the members without braces: `"method":"GET","status":200`. */
  [logJson](): string;
}

/** Longest text of a field of a log line or of a stored request, in characters. The longest pattern of a route fits. */
export const maxFieldLength = 1_024;

/** Returns the text, cut to {@link maxFieldLength}: no caller decides how large a record is. */
export function fieldText<Text extends string | undefined>(text: Text): Text {
  return text !== undefined && text.length > maxFieldLength ? (text.slice(0, maxFieldLength) as Text) : text;
}

const plain = /^[ !#-[\]-~]*$/;

/** Returns a text as JSON. */
export function jsonText(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** `.007`, by thousandths. */
const fractions = Array.from({ length: 1_000 }, (_, thousandths) => `.${String(thousandths).padStart(3, "0")}`);

/** Returns milliseconds as JSON with three digits behind the point: a seventh of the cost of the shortest form. */
export function jsonMs(ms: number): string {
  const us = Math.round(ms * 1_000);
  return `${Math.floor(us / 1_000)}${fractions[us % 1_000]}`;
}

class SilentLogger implements Logger {
  debug(): void {}
  info(): void {}
  warn(): void {}
  error(): void {}
  child(): Logger {
    return this;
  }
}

export const silentLogger: Logger = new SilentLogger();
