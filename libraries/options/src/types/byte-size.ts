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
export const byteSize: OptionType<number> = scalar("bytes such as 1048576, 10MiB or 100MB", (given) => {
  const [, amount = "", unit = ""] = /^(\d{1,15})(B|kB|MB|GB|KiB|MiB|GiB)?$/.exec(given) ?? [];
  const bytes = amount === "" ? Number.NaN : Number(amount) * (unitBytes[unit] ?? Number.NaN);
  return bytes > 0 && Number.isSafeInteger(bytes) ? bytes : undefined;
});
