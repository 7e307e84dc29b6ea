import { createHash } from "node:crypto";

/** What the clock was configured with when it started. */
export interface ClockVariables {
  /** The constant of app.yaml. */
  readonly calendar: string | null;
  /** The setting `clock.motto`. */
  readonly motto: string | null;
  /** The first eight hex digits of the SHA-256 of the secret setting `clock.station_key`. */
  readonly station: string | null;
}

/** Reads the variables that app.yaml declares. Absent ones are null, for example when the clock runs without the platform. */
export function clockVariables(environment: Readonly<Record<string, string | undefined>>): ClockVariables {
  const { CLOCK_CALENDAR: calendar = null, CLOCK_MOTTO: motto = null, CLOCK_STATION_KEY: key } = environment;
  return { calendar, motto, station: key === undefined ? null : createHash("sha256").update(key).digest("hex").slice(0, 8) };
}
