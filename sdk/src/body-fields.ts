import { HttpError } from "./http-error.ts";

/** The fields of a body in JSON. Each method throws HttpError with 400, which names the field and what was expected. */
export interface BodyFields {
  /** Returns a text without spaces around it, of `min` (default 1) to `max` characters. A field that is absent is an empty text. */
  text(name: string, bounds: { readonly min?: number; readonly max: number }): string;
  /** Returns a whole number within the bounds. */
  integer(name: string, bounds: { readonly min: number; readonly max: number }): number;
  flag(name: string): boolean;
  oneOf<const T extends string>(name: string, values: readonly T[]): T;
  /** Returns a date of the calendar: `2026-12-31`. */
  day(name: string): string;
  /** Returns an instant: ISO 8601 with a time zone, `2026-12-31T09:00:00Z`. */
  time(name: string): Date;
}

const dayForm = /^\d{4}-\d\d-\d\d$/;
const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** Throws HttpError with 400 if the body is not an object. */
export function bodyFields(body: unknown): BodyFields {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw new HttpError(400, "the body must be an object");
  const fields = new Map(Object.entries(body));
  const expect = (isRight: boolean, name: string, expected: string): void => {
    if (!isRight) throw new HttpError(400, `${name} must ${expected}`);
  };
  return {
    text: (name, { min = 1, max }) => {
      const value: unknown = fields.get(name) ?? "";
      const text = typeof value === "string" ? value.trim() : undefined;
      const bounds = min === 0 ? `at most ${max}` : `${min} to ${max}`;
      // PostgreSQL stores no NUL.
      const isRight = text !== undefined && text.length >= min && text.length <= max && !text.includes("\0");
      expect(isRight, name, `have ${bounds} characters`);
      return text ?? "";
    },
    integer: (name, { min, max }) => {
      const value: unknown = fields.get(name);
      const number = Number.isInteger(value) ? (value as number) : Number.NaN;
      expect(number >= min && number <= max, name, `be a whole number of ${min} to ${max}`);
      return number;
    },
    flag: (name) => {
      const value: unknown = fields.get(name);
      expect(typeof value === "boolean", name, "be true or false");
      return value === true;
    },
    oneOf: (name, values) => {
      const found = values.find((each) => each === fields.get(name));
      if (found === undefined) throw new HttpError(400, `${name} must be one of ${values.join(", ")}`);
      return found;
    },
    day: (name) => {
      const value: unknown = fields.get(name);
      const day = typeof value === "string" && dayForm.test(value) ? value : "";
      expect(day !== "" && isoDay(day) === day, name, "be a date, as 2026-12-31");
      return day;
    },
    time: (name) => {
      const value: unknown = fields.get(name);
      const time = new Date(typeof value === "string" && timeForm.test(value) ? value : Number.NaN);
      expect(!Number.isNaN(time.getTime()), name, "be a time with its zone, as 2026-12-31T09:00:00Z");
      return time;
    },
  };
}

/** JavaScript turns the 30th of February into a day of March. */
function isoDay(day: string): string {
  const time = new Date(`${day}T00:00:00Z`);
  return Number.isNaN(time.getTime()) ? "" : time.toISOString().slice(0, 10);
}
