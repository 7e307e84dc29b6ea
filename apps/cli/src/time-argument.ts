import { UsageError } from "./usage-error.ts";

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Returns the time that an option means: a duration back from now, or a time. Throws {@link UsageError}. */
export function timeOf(option: string, text: string, now: number = Date.now()): string {
  return resolved(option, text, now, -1);
}

/** Returns the time that an option means: a duration from now on, or a time. Throws {@link UsageError}. */
export function laterTimeOf(option: string, text: string, now: number = Date.now()): string {
  return resolved(option, text, now, 1);
}

function resolved(option: string, text: string, now: number, direction: 1 | -1): string {
  const [, amount, unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const time = amount === undefined ? Date.parse(text) : now + direction * Number(amount) * (units[unit] ?? 0) * 1_000;
  const isTime = amount !== undefined || /^\d{4}-\d\d-\d\dT/.test(text);
  if (!isTime || Number.isNaN(new Date(time).getTime()) || time < 0)
    throw new UsageError(
      `${option} must be a duration like 30s, 10m, 2h, 1d, or a time like 2026-01-31T12:00:00Z, got "${text}"`,
    );
  return new Date(time).toISOString();
}
