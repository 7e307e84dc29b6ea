import { quote } from "@appserver/contracts/patterns";
import { type AppError, invalidField, messageOf } from "@appserver/kernel";
import { type CronExpression, CronExpressionParser } from "cron-parser";
import type { ZoneClock } from "./zone-clock.ts";

const hourMs = 3_600_000;
/** No zone is further from UTC. */
const maxOffsetMs = 15 * hourMs;
/** No change moves a clock further: islands at the date line have skipped a day. */
const maxChangeMs = 25 * hourMs;
/** Covers every instant of a local time that one of the first instants may show. */
const searchMs = 4 * 24 * hourMs;

const months = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec";
const days = "sun|mon|tue|wed|thu|fri|sat";
const numbers = /^[\d*,/-]+$/;
/** What the fields may consist of: minute, hour, day, month and weekday. The parser checks values and order. */
const fieldForms = [
  numbers,
  numbers,
  /^(?:[\d*,/?-]|L)+$/i,
  new RegExp(`^(?:[\\d*,/-]|${months})+$`, "i"),
  new RegExp(`^(?:[\\d*,/?#-]|L|${days})+$`, "i"),
];

/**
 * A cron expression (docs/interface/activities.md#cron). The calendar is cron-parser's, without its nicknames and random values,
 * and without its time zones: it fails at changes of half an hour.
 */
export class Cron {
  readonly #expression: CronExpression;
  readonly #isHourly: boolean;

  /** Throws INVALID_REQUEST if the text is not a cron expression. */
  constructor(text: string) {
    const fields = text.trim().split(/\s+/);
    if (text.length > 200) throw invalid("must be at most 200 characters", text);
    if (fields.length !== 5 && fields.length !== 6)
      throw invalid("must have five fields (minute hour day month weekday), or six with seconds first", text);
    const forms = [...(fields.length === 6 ? [numbers] : []), ...fieldForms];
    const wrong = fields.find((field, index) => forms[index]?.test(field) !== true);
    if (wrong !== undefined) throw invalid(`must be a cron expression without ${quote(wrong)}`, text);
    try {
      this.#expression = CronExpressionParser.parse(fields.join(" "), { tz: "UTC" });
    } catch (error) {
      throw invalid(`must be a cron expression (${messageOf(error)})`, text, error);
    }
    this.#isHourly = this.#expression.fields.hour.values.length === 24;
  }

  /**
   * Returns the first time after an instant, undefined if there is none. A local time that a change of the clock skips comes later
   * by the length of the change. One that comes twice counts once, unless the expression is for every hour.
   */
  next(zone: ZoneClock, after: Date): Date | undefined {
    for (let from = after.getTime(); ; ) {
      const to = from + searchMs;
      const found = this.#nextIn(zone, from, to);
      if (found !== undefined) return new Date(found);
      // Every instant after `to` shows a later local time.
      const local = this.#nextLocal(to - maxOffsetMs);
      if (local === undefined) return undefined;
      from = Math.max(to, local - maxOffsetMs);
    }
  }

  /** Returns the first time later than `from` and at most `to`. */
  #nextIn(zone: ZoneClock, from: number, to: number): number | undefined {
    const periods = zone.periods(from - maxChangeMs, to);
    let found: number | undefined;
    for (const [index, { start, offset }] of periods.entries()) {
      const [before, after] = [periods[index - 1], periods[index + 1]];
      const repeatedMs = this.#isHourly || !before ? 0 : Math.max(0, before.offset - offset);
      const skippedMs = after ? Math.max(0, after.offset - offset) : 0;
      const end = after ? after.start - 1 + skippedMs : to;
      const local = this.#nextLocal(Math.max(from, start - 1 + repeatedMs) + offset);
      const at = local === undefined ? undefined : local - offset;
      if (at !== undefined && at <= Math.min(end, to)) found = Math.min(found ?? at, at);
    }
    return found;
  }

  /** Returns the next time of a clock that never changes. */
  #nextLocal(after: number): number | undefined {
    try {
      this.#expression.reset(new Date(after));
      return this.#expression.next().getTime();
    } catch {
      // Its search is limited, for days that never come.
      return undefined;
    }
  }
}

function invalid(rule: string, text: string, cause?: unknown): AppError {
  return invalidField("cron", `${rule}, got ${quote(text)}`, cause);
}
