import { type OptionType, scalar } from "./option-type.ts";

const unitBytes: Readonly<Record<string, number>> = {
  "": 1,
  B: 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
};

/** At least one byte: a bare number, or a number with a decimal (kB, MB, GB) or binary (KiB, MiB, GiB) unit. */
export const byteSize: OptionType<number> = scalar("bytes such as 1048576, 10MiB or 100MB", parseBytes);

/** The same from `min` to `max` bytes. */
export function byteSizeBetween(min: number, max: number): OptionType<number> {
  return scalar(`bytes from ${min} to ${max}, such as 16KiB`, (given) => {
    const bytes = parseBytes(given);
    return bytes !== undefined && bytes >= min && bytes <= max ? bytes : undefined;
  });
}

function parseBytes(given: string): number | undefined {
  const [, amount = "", unit = ""] = /^(\d{1,15})(B|kB|MB|GB|KiB|MiB|GiB)?$/.exec(given) ?? [];
  const bytes = amount === "" ? Number.NaN : Number(amount) * (unitBytes[unit] ?? Number.NaN);
  return bytes > 0 && Number.isSafeInteger(bytes) ? bytes : undefined;
}
