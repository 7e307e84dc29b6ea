const hourMs = 3_600_000;
/** Two changes of one zone are never this close to each other. */
const stepMs = 6 * hourMs;

/** A time between two changes of a zone's offset. */
export interface ZonePeriod {
  /** Its first instant, in milliseconds of UTC. The period ends with the start of the next one. */
  readonly start: number;
  /** What the local clock is ahead of UTC, in milliseconds. */
  readonly offset: number;
}

/** The local clock of an IANA time zone. */
export class ZoneClock {
  readonly #format: Intl.DateTimeFormat;

  /** Throws RangeError if Node does not know the zone. */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  }

  /** Returns the periods that cover these instants, in their order. The start of the first one is `from`. */
  periods(from: number, to: number): readonly ZonePeriod[] {
    const periods = [{ start: from, offset: this.#offset(from) }];
    let offset = periods[0]?.offset ?? 0;
    for (let at = from; at < to; at += stepMs) {
      const later = Math.min(at + stepMs, to);
      const after = this.#offset(later);
      if (after === offset) continue;
      periods.push({ start: this.#change(at, later), offset: after });
      offset = after;
    }
    return periods;
  }

  /** Returns the first instant after `before` with the offset of `after`. */
  #change(before: number, after: number): number {
    const offset = this.#offset(after);
    let [low, high] = [before, after];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#offset(middle) === offset) high = middle;
      else low = middle;
    }
    return high;
  }

  #offset(at: number): number {
    // Of 1/31/2026, GMT-03:30
    const [, sign, ...parts] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(this.#format.format(at)) ?? [];
    const [hours = 0, minutes = 0, seconds = 0] = parts.map((part) => Number(part ?? 0));
    return (sign === "-" ? -1_000 : 1_000) * ((hours * 60 + minutes) * 60 + seconds);
  }
}
