import { type OptionType, scalar } from "./option-type.ts";

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns the milliseconds of `10m`, `30s`, `500ms`, `7d` or `1h30m`, and undefined for anything else. */
export function parseDuration(given: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(given)) return undefined;
  const parts = [...given.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  return Math.round(parts.reduce((sum, [, amount, unit = ""]) => sum + Number(amount) * (unitMs[unit] ?? 0), 0));
}

/** A duration of more than 0, in milliseconds. */
export const duration: OptionType<number> = scalar("a duration such as 250ms, 30s or 10m", (given) => {
  const ms = parseDuration(given);
  return ms !== undefined && ms > 0 ? ms : undefined;
});

/** Like {@link duration}, but `0` is allowed and switches the feature off. */
export const durationOrZero: OptionType<number> = scalar("0, or a duration such as 250ms, 30s or 10m", (given) =>
  given === "0" ? 0 : parseDuration(given),
);

/** Like {@link duration}, but a bare number counts seconds. */
export const durationOrSeconds: OptionType<number> = scalar("seconds, or a duration such as 30s or 10m", (given) => {
  const ms = /^\d{1,9}$/.test(given) ? Number(given) * 1_000 : parseDuration(given);
  return ms !== undefined && ms > 0 ? ms : undefined;
});
