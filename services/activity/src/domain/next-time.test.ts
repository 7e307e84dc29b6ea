import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isAppError } from "@appserver/kernel";
import { nextTime } from "./next-time.ts";

const hourMs = 3_600_000;

async function times(cron: string, timezone: string, from: number, to: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (let at = new Date(from); ; ) {
    at = await nextTime({ cron, intervalSeconds: undefined, timezone }, at);
    if (at.getTime() > to) return found;
    found.push(at.toISOString());
  }
}

async function next(cron: string, timezone: string, after: string): Promise<string> {
  return (await nextTime({ cron, intervalSeconds: undefined, timezone }, new Date(after))).toISOString();
}

describe("the next time of a recurrence", () => {
  test("uses the clock of its time zone, summer time included", async () => {
    assert.equal(await next("0 3 * * *", "Europe/Berlin", "2026-01-10T00:00:00Z"), "2026-01-10T02:00:00.000Z");
    assert.equal(await next("0 3 * * *", "Europe/Berlin", "2026-07-10T00:00:00Z"), "2026-07-10T01:00:00.000Z");
    // 02:30 does not exist on the last Sunday of March: the run is late but not missed.
    assert.equal(await next("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z"), "2026-03-29T01:30:00.000Z");
  });

  for (const [cron, after, expected] of [
    ["0 9 * * *", "2026-04-03T22:00:00Z", ["2026-04-04T22:30:00.000Z", "2026-04-05T22:30:00.000Z"]],
    ["0 9 * * *", "2026-10-02T22:30:00Z", ["2026-10-03T22:00:00.000Z", "2026-10-04T22:00:00.000Z"]],
    ["15 2 * * *", "2026-10-02T16:00:00Z", ["2026-10-03T15:45:00.000Z", "2026-10-04T15:15:00.000Z"]],
    ["0 * * * *", "2026-10-03T14:00:00Z", ["2026-10-03T14:30:00.000Z", "2026-10-03T15:30:00.000Z", "2026-10-03T16:00:00.000Z"]],
    [
      "*/30 * * * *",
      "2026-10-03T14:30:00Z",
      ["2026-10-03T15:00:00.000Z", "2026-10-03T15:30:00.000Z", "2026-10-03T16:00:00.000Z"],
    ],
  ] as const)
    test(`finds ${cron} at the changes of half an hour on Lord Howe, from ${after}`, async () => {
      const last = Date.parse(expected.at(-1) ?? "");
      assert.deepEqual(await times(cron, "Australia/Lord_Howe", Date.parse(after), last), expected);
    });

  test("finds days that come every 28 years, and a day that a zone skipped", async () => {
    assert.equal(await next("0 0 * 2 1#5", "UTC", "2026-01-01T00:00:00Z"), "2044-02-29T00:00:00.000Z");
    assert.equal(await next("0 9 29 2 *", "Pacific/Chatham", "2097-01-01T00:00:00Z"), "2104-02-28T19:15:00.000Z");
    // 30 December 2011 was left out.
    assert.deepEqual(await times("0 9 * * *", "Pacific/Apia", Date.UTC(2011, 11, 29), Date.UTC(2011, 11, 31, 23)), [
      "2011-12-29T19:00:00.000Z",
      "2011-12-30T19:00:00.000Z",
      "2011-12-31T19:00:00.000Z",
    ]);
  });

  test("an interval counts from now", async () => {
    const every = { cron: undefined, intervalSeconds: 90, timezone: "UTC" };
    assert.equal((await nextTime(every, new Date(0))).getTime(), 90_000);
  });

  for (const [name, recurrence, field] of [
    ["neither of both", { cron: undefined, intervalSeconds: undefined, timezone: "UTC" }, "trigger"],
    ["both", { cron: "* * * * *", intervalSeconds: 1, timezone: "UTC" }, "trigger"],
    ["no time zone", { cron: "* * * * *", intervalSeconds: undefined, timezone: "Mars/Olympus" }, "timezone"],
    ["no interval", { cron: undefined, intervalSeconds: 0, timezone: "UTC" }, "interval_seconds"],
  ] as const)
    test(`${name} is refused`, async () => {
      await assert.rejects(
        () => nextTime(recurrence, new Date(0)),
        (error) => isAppError(error, "INVALID_REQUEST") && error.violations[0]?.field === field,
      );
    });
});

describe("a cron expression", () => {
  const fiveFields = /must have five fields/;
  for (const [cron, message] of [
    ["", fiveFields],
    ["7", fiveFields],
    ["* *", fiveFields],
    ["5 * *", fiveFields],
    ["* * * *", fiveFields],
    ["0 0 0 * * * *", fiveFields],
    ["@daily", fiveFields],
    ["H H * * *", /without "H"/],
    ["0 0 31 H *", /without "H"/],
    ["h(0-5) * * * *", /without "h\(0-5\)"/],
    ["? * * * *", /without "\?"/],
    ["0 0 15W * *", /without "15W"/],
    ["60 * * * *", /expected range 0-59/],
    ["5-1 * * * *", /Invalid range/],
    ["0 0 31 2 *", /must be a cron expression/],
    [`${"0,".repeat(120)}0 * * * *`, /at most 200 characters/],
  ] as const)
    test(`${JSON.stringify(cron.slice(0, 20))} is refused`, async () => {
      await assert.rejects(next(cron, "UTC", "2026-01-01T00:00:00Z"), message);
    });

  for (const [cron, expected] of [
    ["*/10 30 9 * * *", "2026-01-01T09:30:00.000Z"],
    ["0 0 ? * MON-FRI", "2026-01-02T00:00:00.000Z"],
    ["0 0 L * *", "2026-01-31T00:00:00.000Z"],
    ["0 0 * * 5L", "2026-01-30T00:00:00.000Z"],
    ["0 0 * mar thu#2", "2026-03-12T00:00:00.000Z"],
    [" 0  0 1 7-8 * ", "2026-07-01T00:00:00.000Z"],
  ] as const)
    test(`${JSON.stringify(cron)} is understood`, async () => {
      assert.equal(await next(cron, "UTC", "2026-01-01T00:00:00Z"), expected);
    });
});

/** Finds the times in an interval of days by looking at every minute, as docs/interface/activities.md#summer-time says. */
class MinuteScan {
  readonly #format: Intl.DateTimeFormat;
  /** By local minute, as if it were of UTC. */
  readonly #shownAt = new Map<number, number[]>();
  readonly #from: number;
  readonly #to: number;

  constructor(timeZone: string, from: number, to: number) {
    const numeric = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" } as const;
    this.#format = new Intl.DateTimeFormat("en-US", { ...numeric, timeZone, hourCycle: "h23" });
    this.#from = from;
    this.#to = to;
    for (let at = from; at <= to; at += 60_000) {
      const local = this.#localOf(at);
      this.#shownAt.set(local, [...(this.#shownAt.get(local) ?? []), at]);
    }
  }

  /** The instants at which the clock is moved. */
  changes(): readonly number[] {
    const found: number[] = [];
    for (let at = this.#from; at < this.#to; at += 60_000)
      if (this.#localOf(at + 60_000) - this.#localOf(at) !== 60_000) found.push(at + 60_000);
    return found;
  }

  times(matches: (hour: number, minute: number) => boolean, isHourly: boolean): readonly string[] {
    const found = new Set<number>();
    let offset = this.#localOf(this.#from) - this.#from;
    const end = this.#localOf(this.#to);
    for (let local = this.#localOf(this.#from); local <= end; local += 60_000) {
      const shown = this.#shownAt.get(local);
      if (matches(new Date(local).getUTCHours(), new Date(local).getUTCMinutes()))
        for (const at of shown ? (isHourly ? shown : shown.slice(0, 1)) : [local - offset]) found.add(at);
      if (shown) offset = local - (shown.at(-1) ?? 0);
    }
    return [...found].sort((a, b) => a - b).map((at) => new Date(at).toISOString());
  }

  #localOf(at: number): number {
    const parts = Object.fromEntries(this.#format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day, hour, minute } = parts;
    return Date.UTC(year, month - 1, day, hour, minute);
  }
}

describe("at a change of summer time", () => {
  const zones = [
    "Europe/Berlin",
    "Europe/London",
    "Europe/Chisinau",
    "Atlantic/Azores",
    "America/New_York",
    "America/Los_Angeles",
    "America/St_Johns",
    "America/Havana",
    "America/Santiago",
    "America/Nuuk",
    "Africa/Cairo",
    "Africa/Casablanca",
    "Antarctica/Troll",
    "Asia/Beirut",
    "Asia/Jerusalem",
    "Australia/Lord_Howe",
    "Australia/Sydney",
    "Pacific/Auckland",
    "Pacific/Chatham",
    "Pacific/Easter",
    "Pacific/Norfolk",
  ];

  /** Days on which a zone moves its clock in 2026. */
  function daysOfChange(timeZone: string): readonly number[] {
    const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
    const days = Array.from({ length: 365 }, (_, day) => Date.UTC(2026, 0, 1) + day * 24 * hourMs);
    const offset = (at: number) => format.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value;
    return days.filter((day) => offset(day) !== offset(day + 24 * hourMs));
  }

  for (const zone of zones)
    test(`${zone} runs daily jobs once a day, and hourly ones at each time that the clock shows`, async () => {
      const days = daysOfChange(zone);
      assert.ok(days.length >= 2, `${days.length} changes`);
      for (const day of days) {
        const [from, to] = [day - 6 * hourMs, day + 34 * hourMs];
        const scan = new MinuteScan(zone, from, to);
        const [change = 0] = scan.changes();
        const at = new Date(change);
        const inGap = Number(
          new Intl.DateTimeFormat("en-US", { timeZone: zone, hour: "numeric", hourCycle: "h23" }).format(at),
        );
        const rows: readonly (readonly [string, (hour: number, minute: number) => boolean, boolean])[] = [
          ["0 9 * * *", (hour, minute) => hour === 9 && minute === 0, false],
          ...[inGap, (inGap + 23) % 24].map(
            (wanted) =>
              [`15 ${wanted} * * *`, (hour: number, minute: number) => hour === wanted && minute === 15, false] as const,
          ),
          ["20 0-3,22,23 * * *", (hour, minute) => (hour < 4 || hour > 21) && minute === 20, false],
          ["0 * * * *", (_, minute) => minute === 0, true],
          ["*/30 * * * *", (_, minute) => minute % 30 === 0, true],
        ];
        for (const [cron, matches, isHourly] of rows)
          assert.deepEqual(
            await times(cron, zone, from - 1, to),
            scan.times(matches, isHourly),
            `${cron} around ${at.toISOString()}`,
          );
      }
    });
});
